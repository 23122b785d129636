import { findChain, type Mode, TOKENS } from '@svc-pay/core';
import { disableTokens, enableTokens, listEnabledTokens } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, COMMAND, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { unknownAccount } from './refusals.ts';

type List = { readonly account?: string; readonly mode?: Mode };
type Change = { readonly account: string; readonly mode: Mode };

export function tokensCommand(surroundings: Surroundings): Command {
  const list = leaf('list', 'Show the token catalogue; with --account, also which tokens the account has enabled.', [
    'tokens list --mode test',
    'tokens list --account acct_…',
  ])
    .addOption(modeOption())
    .addOption(accountOption())
    .action(runs(surroundings, listAll));
  const change = (name: string, before: string, description: string, apply: typeof enableTokens) =>
    leaf(name, description, [`tokens ${name} basesepolia_usdc anvil_usdc --account acct_… --mode test`])
      .argument('<shortcode...>', 'as in `tokens list`')
      .addOption(accountOption().makeOptionMandatory())
      .addOption(modeOption().makeOptionMandatory())
      .action(runs<Change>(surroundings, (input) => changeSome(input, { verb: name, before }, apply)));
  return new Command('tokens')
    .description('Choose the tokens an account takes.')
    .addCommand(list)
    .addCommand(
      change(
        'enable',
        'enabled before',
        'Enable these tokens for an account. The command enables all of them or none.',
        enableTokens,
      ),
    )
    .addCommand(
      change(
        'disable',
        'was not enabled',
        'Disable these tokens for an account. Existing intents stay payable in them.',
        disableTokens,
      ),
    );
}

async function listAll({ options, context }: Input<List>): Promise<CommandOutcome> {
  const { account, mode } = options;
  if (account === undefined) return catalogue(context.paint, mode, undefined);
  return withOperation(context, [], async ({ operation }) =>
    catalogue(context.paint, mode, await listEnabledTokens(operation.pool, account, mode)),
  );
}

function catalogue(
  paint: Parameters<typeof table>[2],
  mode: Mode | undefined,
  enabled: ReadonlySet<string> | undefined,
): CommandOutcome {
  const tokens = TOKENS.flatMap((token) => {
    const chain = findChain(token.network);
    if (chain === undefined || (mode !== undefined && chain.mode !== mode)) return [];
    const { shortcode, symbol, network, address, signing, price } = token;
    return [
      {
        shortcode,
        symbol,
        chain: chain.name,
        network,
        mode: chain.mode,
        address,
        decimals: token.unit.decimals,
        signing,
        price: price === 'fixed' ? '1 USD' : `feed ${price.feed}`,
        ...(enabled !== undefined && { enabled: enabled.has(shortcode) }),
      },
    ];
  });
  const text = table(
    tokens,
    [
      { head: 'SHORTCODE', cell: (token) => token.shortcode },
      { head: 'SYMBOL', cell: (token) => token.symbol },
      { head: 'CHAIN', cell: (token) => token.chain },
      { head: 'MODE', cell: (token) => token.mode },
      { head: 'ADDRESS', cell: (token) => token.address },
      { head: 'DECIMALS', cell: (token) => String(token.decimals) },
      { head: 'SIGNING', cell: (token) => token.signing },
      { head: 'PRICE', cell: (token) => token.price },
      ...(enabled === undefined
        ? []
        : [{ head: 'ENABLED', cell: ({ shortcode }: { shortcode: string }) => (enabled.has(shortcode) ? 'yes' : '') }]),
    ],
    paint,
  );
  return done({ tokens }, text);
}

async function changeSome(
  { options, positionals, context }: Input<Change>,
  { verb, before }: { readonly verb: string; readonly before: string },
  apply: typeof enableTokens,
): Promise<CommandOutcome> {
  const { account: accountId, mode } = options;
  const shortcodes = [...new Set(positionals.map((shortcode) => shortcode.toLowerCase()))];
  return withOperation(context, [], async ({ operation }) => {
    const result = await apply(operation, { accountId, mode, shortcodes });
    if (result.ok) {
      const { changed } = result;
      const unchanged = shortcodes.filter((shortcode) => !changed.includes(shortcode));
      const lines = [
        ...(changed.length === 0 ? [] : [`${verb}d: ${changed.join(', ')}`]),
        ...(unchanged.length === 0 ? [] : [`${before}: ${unchanged.map(harmless).join(', ')}`]),
      ];
      return done({ accountId, mode, changed, unchanged }, lines.join('\n'));
    }
    if (result.code === 'account_unknown') return unknownAccount(accountId);
    const shortcode = harmless(result.shortcode);
    return result.code === 'token_unknown'
      ? failed(
          result.code,
          `No token is called ${shortcode}; nothing was changed.`,
          `\`${COMMAND} tokens list\` shows the names.`,
        )
      : failed(
          result.code,
          `${shortcode} is not a token of ${mode} mode; nothing was changed.`,
          `\`${COMMAND} tokens list --mode ${mode}\` shows those that are.`,
        );
  });
}
