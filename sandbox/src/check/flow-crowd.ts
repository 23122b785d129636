import { payAsCrowd } from '../watch/pay-as-crowd.ts';
import { insist, type Visit } from './visit.ts';

const CROWD = 12;

export async function payByCrowd({ sandbox }: Visit): Promise<void> {
  const paid = await payAsCrowd(sandbox.world.chain, sandbox.facts, CROWD);
  insist(paid === CROWD, `${paid} of ${CROWD} paid`);
}
