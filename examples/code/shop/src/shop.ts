export interface Item {
  readonly name: string;
  readonly price: number;
  readonly quantity: number;
}

export function total(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.price, 0);
}
