// npm run contracts:deploy -- <command> --rpc URL --key-file FILE [--plan FILE] [--records DIRECTORY]
//   deploy        timelock and processor, writes the deployment record        any funded key
//   ceremony      hands out the roles and lists the tokens of the plan        a council key
//   ceremony-data prints the two calls for a council that signs elsewhere     any key
//   verify        compares chain, plan and commit                             any key
//   deploy-direct DirectBatch, the same on every chain                        any funded key
//   verify-direct looks for this commit's DirectBatch                         any key
//   pause         stops every payment                                         the guardian's key
//   retire        gives up the relayer role of the key                        a relayer's key
//   payout-set    --id N --merchant A --fee-bps N [--split A=BPS ...]         the registrar's key
//   payout-sync   [--to-block N]  prints the registry's changes               any key
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  ceremonyCalls,
  deployDirectBatch,
  deploymentProblems,
  deployProcessor,
  directBatchProblems,
  openChain,
  pauseProcessor,
  performCeremony,
  readDeploymentRecord,
  readPlan,
  retireRelayer,
  setPayout,
  syncPayouts,
  writeDeploymentRecord,
} from '@svc-pay/evm';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { DEPLOYMENTS } from './config.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rpc: { type: 'string', default: 'http://127.0.0.1:8545' },
    'key-file': { type: 'string', default: '' },
    plan: { type: 'string', default: '' },
    records: { type: 'string', default: DEPLOYMENTS },
    id: { type: 'string', default: '' },
    merchant: { type: 'string', default: '' },
    'fee-bps': { type: 'string', default: '0' },
    split: { type: 'string', multiple: true, default: [] },
    'to-block': { type: 'string' },
  },
});

const print = (value: unknown) =>
  console.log(JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? String(field) : field), 2));

function plan() {
  const outcome = readPlan(readFileSync(values.plan, 'utf8'));
  if (!outcome.ok) throw new Error(outcome.problems.join('\n'));
  return outcome.plan;
}

const account = privateKeyToAccount(readFileSync(values['key-file'], 'utf8').trim() as Hex);
const chain = await openChain({ rpcUrl: values.rpc, account });

async function record() {
  const outcome = await readDeploymentRecord(values.records, chain.chain.id);
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.file}`);
  return outcome.record;
}

const commands: Record<string, () => Promise<{ ok: boolean }>> = {
  deploy: async () => {
    const outcome = await deployProcessor(chain, plan());
    if (outcome.ok) await writeDeploymentRecord(values.records, outcome.record);
    return outcome;
  },
  ceremony: async () => performCeremony(chain, await record(), plan()),
  'ceremony-data': async () => ({ ok: true, ...ceremonyCalls(await record(), plan()) }),
  verify: async () => {
    const problems = await deploymentProblems(chain, await record(), plan());
    return { ok: problems.length === 0, problems };
  },
  'deploy-direct': () => deployDirectBatch(chain),
  'verify-direct': async () => {
    const problems = await directBatchProblems(chain);
    return { ok: problems.length === 0, problems };
  },
  pause: async () => pauseProcessor(chain, (await record()).processor),
  retire: async () => retireRelayer(chain, (await record()).processor),
  'payout-set': async () =>
    setPayout(chain, (await record()).processor, {
      payoutId: BigInt(values.id),
      merchant: values.merchant as Address,
      feeBps: Number.parseInt(values['fee-bps'], 10),
      splits: values.split.map((text) => {
        const [to = '', bps = ''] = text.split('=');
        return { to: to as Address, bps: Number.parseInt(bps, 10) };
      }),
    }),
  'payout-sync': async () => {
    const { processor, fromBlock } = await record();
    const toBlock = values['to-block'] === undefined ? await chain.getBlockNumber() : BigInt(values['to-block']);
    return { ok: true, ...(await syncPayouts(chain, processor, { fromBlock: BigInt(fromBlock), toBlock })) };
  },
};

const command = commands[positionals[0] ?? ''];
if (command === undefined) {
  console.error(`there are: ${Object.keys(commands).join(', ')}`);
  process.exit(64);
}
const outcome = await command();
print(outcome);
process.exitCode = outcome.ok ? 0 : 1;
