// A stand-in for the systems that an order needs: the stock, the bank and the parcel service.

import { PermanentError } from "segno";

export class Warehouse {
  readonly stock: Map<string, number>;
  /** What was paid and not paid back, by order. */
  readonly payments: Map<string, number> = new Map<string, number>();

  constructor(stock: Readonly<Record<string, number>>) {
    this.stock = new Map(Object.entries(stock));
  }

  reserve(article: string, amount: number): string {
    const left = (this.stock.get(article) ?? 0) - amount;
    if (left < 0) throw new PermanentError(`there is not enough of ${article}`);
    this.stock.set(article, left);
    return `${amount} × ${article}`;
  }

  release(article: string, amount: number): void {
    this.stock.set(article, (this.stock.get(article) ?? 0) + amount);
  }

  book(order: string, amount: number): void {
    this.payments.set(order, amount);
  }

  payBack(order: string): void {
    this.payments.delete(order);
  }

  ship(order: string, city: string): string {
    if (city === "Atlantis") throw new PermanentError("no parcel service goes to Atlantis");
    return `parcel-${order}-${city}`;
  }
}
