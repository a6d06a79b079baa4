// A contract of the usual size and shape, with an expression in nearly every step, for the histogram of latencies.

export const ORDER_CONTRACT = `
name: order
version: "1.0.0"
description: Takes an order, checks it, is paid for it and ships it.

input:
  type: object
  required: [order, customer, lines]
  properties:
    order: { type: string, minLength: 1 }
    customer: { type: object, required: [id], properties: { id: { type: string }, tier: { enum: [basic, gold] } } }
    lines: { type: array, items: { type: object, required: [sku, count] } }

steps:
  - id: receive
    agent: work
    input: { order: "\${ input.order }", lines: "\${ input.lines }" }
  - id: check
    agent: work
    dependsOn: [receive]
    input: { customer: "\${ input.customer.id }", ref: "order \${ input.order }" }
  - id: price
    agent: work
    dependsOn: [receive]
    input: { skus: "\${ input.lines[].sku }", total: "\${ sum(input.lines[].count) }" }
    output: { to: variables.price }
  - id: stock
    agent: work
    dependsOn: [receive]
    input: { wanted: "\${ input.lines[?count > \`1\`].sku }" }
  - id: reserve
    agent: work
    dependsOn: [check, price, stock]
    input: { ok: "\${ steps.check.output.done }", stock: "\${ steps.stock.output }", price: "\${ variables.price }" }
    retry: 3
    timeout: 1m
  - id: pay
    agent: work
    dependsOn: [reserve]
    input: { amount: "\${ variables.price }", reference: "\${ input.order }/\${ steps.reserve.output.step }" }
    retry: 3
    timeout: 1m
  - id: label
    agent: work
    dependsOn: [pay]
    input: { to: "\${ input.customer.id }", lines: "\${ input.lines }" }
  - id: invoice
    agent: work
    dependsOn: [pay]
    input: { paid: "\${ steps.pay.output }", lines: "\${ input.lines }" }
  - id: ship
    agent: work
    dependsOn: [label, invoice]
    input: { label: "\${ steps.label.output }", invoice: "\${ steps.invoice.output.step }" }
  - id: notify
    agent: work
    dependsOn: [ship]
    when: input.customer.tier == 'gold'
    input: { customer: "\${ input.customer.id }", shipped: "\${ steps.ship.output }" }

output:
  order: \${ input.order }
  shipped: \${ steps.ship.output }
`;

export const ORDER_INPUT = {
  order: "A-1001",
  customer: { id: "c-7", tier: "gold" },
  lines: Array.from({ length: 20 }, (_, line) => ({ sku: `sku-${line}`, count: 1 + (line % 3) })),
};
