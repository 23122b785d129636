import { orders } from '../../../../lib/shop.js';

export async function GET(_, { params }) {
  const { id } = await params;
  const order = orders.get(id);
  return order === undefined ? Response.json({ error: 'no such order' }, { status: 404 }) : Response.json(order);
}
