// Which folder of core and of postgres may import which. Folders stand in topological order: a folder imports only folders
// above it, so no cycle can arise. Test files and `testing/` may import everything.
import { importsOf } from './imports.ts';
import { codeOf, isTest, type SourceTree } from './source-tree.ts';

type FolderArrows = {
  /** Files beside the folders that every folder may import. */
  readonly shared: readonly string[];
  /** Folder → the folders that it may import. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
};

export const FOLDER_ARROWS: Readonly<Record<string, FolderArrows>> = {
  'packages/core/src': {
    shared: ['clock.ts', 'transitions.ts'],
    folders: {
      account: [],
      audit: [],
      mismatch: [],
      console: ['account'],
      quota: ['account'],
      token: ['account'],
      operator: ['account', 'token'],
      pricing: ['token'],
      budget: ['pricing', 'token'],
      listing: ['account', 'token'],
      payout: ['account', 'listing', 'token'],
      idempotency: ['account'],
      event: ['account'],
      endpoint: ['account'],
      abuse: ['endpoint', 'token'],
      intent: ['account', 'event', 'idempotency', 'listing', 'payout', 'pricing', 'token'],
      payment: ['account', 'event', 'intent', 'payout', 'pricing', 'token'],
      settlement: [
        'account',
        'budget',
        'event',
        'idempotency',
        'intent',
        'payment',
        'payout',
        'pricing',
        'quota',
        'token',
      ],
      x402: [
        'account',
        'budget',
        'event',
        'idempotency',
        'intent',
        'payment',
        'payout',
        'pricing',
        'quota',
        'settlement',
        'token',
      ],
      delivery: ['account', 'endpoint', 'event', 'intent', 'payment'],
      lane: ['account', 'budget', 'payment', 'payout'],
      ledger: ['account', 'budget', 'event', 'lane', 'payment', 'token'],
      export: ['account', 'ledger', 'token'],
      overview: ['export'],
      watch: ['lane', 'operator'],
      refund: ['account', 'event', 'idempotency', 'intent', 'lane', 'ledger', 'payment', 'token', 'watch'],
      stranded: ['account', 'lane', 'ledger', 'payment', 'settlement', 'token', 'watch'],
      finality: ['lane', 'ledger', 'refund', 'stranded', 'watch'],
      reader: ['finality', 'lane', 'token', 'watch'],
      direct: [
        'event',
        'intent',
        'lane',
        'ledger',
        'mismatch',
        'payment',
        'payout',
        'reader',
        'settlement',
        'stranded',
        'token',
        'watch',
      ],
      reference: ['account', 'intent', 'lane', 'payout', 'reader', 'settlement', 'watch'],
      icrc: ['account', 'intent', 'lane', 'ledger', 'reference', 'token', 'watch'],
      restore: ['account', 'event', 'intent', 'lane', 'payment', 'settlement', 'stranded', 'token'],
      retention: ['idempotency'],
      timeline: ['intent', 'payment', 'refund', 'token'],
      move: ['account'],
    },
  },
  'packages/postgres/src': {
    shared: [],
    folders: {
      database: [],
      server: [],
      migration: ['database'],
      audit: ['database'],
      quota: ['database'],
      budget: ['database'],
      overview: ['database'],
      ledger: ['budget', 'database', 'overview'],
      export: ['database'],
      event: ['database'],
      idempotency: ['audit', 'database'],
      account: ['audit', 'database'],
      operator: ['audit', 'database'],
      console: ['audit', 'database'],
      abuse: ['account', 'audit', 'database'],
      privacy: ['audit', 'database'],
      endpoint: ['database', 'idempotency'],
      delivery: ['database', 'endpoint', 'event', 'idempotency'],
      token: ['account', 'audit', 'database'],
      payout: ['account', 'audit', 'database'],
      settings: ['account', 'payout'],
      intent: ['audit', 'database', 'event', 'idempotency', 'payout'],
      listing: ['account', 'audit', 'database', 'intent'],
      payment: ['database', 'event', 'intent', 'payout'],
      refund: ['database', 'event', 'intent', 'ledger', 'payment'],
      settlement: ['audit', 'budget', 'database', 'event', 'intent', 'payment'],
      x402: ['account', 'audit', 'budget', 'database', 'intent'],
      lane: ['audit', 'budget', 'database', 'ledger', 'payment', 'refund', 'settlement', 'token'],
      finality: ['database', 'intent', 'lane', 'ledger', 'payment', 'settlement'],
      stranded: ['database', 'event', 'intent', 'lane', 'ledger', 'payment', 'settlement'],
      reader: ['account', 'database', 'event', 'intent', 'payment', 'settlement', 'stranded'],
      direct: ['audit', 'database', 'event', 'intent', 'payment', 'reader', 'settlement', 'stranded'],
      reference: ['account', 'database', 'intent', 'payment', 'payout', 'reader'],
      icrc: ['audit', 'database', 'intent', 'payment', 'payout', 'reader'],
      restore: ['audit', 'database', 'event', 'intent', 'lane', 'ledger', 'payment', 'payout', 'stranded'],
      retention: ['database'],
      timeline: ['database', 'delivery', 'intent', 'listing', 'refund'],
      watch: ['database'],
      move: ['account', 'audit', 'database', 'export', 'overview'],
    },
  },
};

/** A transition table imports no folder, so every folder may import it: the words of a status are known everywhere. */
const TRANSITION_TABLE = /^[a-z]+\/[a-z-]+-transitions\.ts$/;

/** Arrows of the table that point at a folder that does not stand above; each could be one side of a cycle. */
export function arrowsOutOfOrder(arrows = FOLDER_ARROWS): string[] {
  return Object.entries(arrows).flatMap(([source, { folders }]) => {
    const order = Object.keys(folders);
    return Object.entries(folders).flatMap(([folder, allowed]) =>
      allowed
        .filter((other) => !order.slice(0, order.indexOf(folder)).includes(other))
        .map((other) => `${source}: ${folder} → ${other}`),
    );
  });
}

export function forbiddenFolderImports(tree: SourceTree): string[] {
  return importsOf(codeOf(tree)).flatMap(({ from, to }) => {
    const source = Object.keys(FOLDER_ARROWS).find((path) => from.startsWith(`${path}/`));
    const folder = source && folderOf(source, from);
    if (source === undefined || folder === undefined || isTest(from)) return [];
    const { folders, shared } = FOLDER_ARROWS[source] ?? { folders: {}, shared: [] };
    const allowed = folders[folder];
    if (allowed === undefined) return [`${from}: the folder ${folder} is not in FOLDER_ARROWS`];
    if (to === undefined || !to.startsWith(`${source}/`)) return [];
    const other = folderOf(source, to);
    if (TRANSITION_TABLE.test(from.slice(source.length + 1)) && other !== undefined)
      return [`${from} imports ${to}: a transition table imports no folder`];
    if (TRANSITION_TABLE.test(to.slice(source.length + 1))) return [];
    if (other === undefined) {
      return shared.includes(to.slice(source.length + 1))
        ? []
        : [`${from} imports ${to}, which stands above the folders`];
    }
    return other === folder || allowed.includes(other)
      ? []
      : [`${from} imports ${to}: ${folder} may not import ${other}`];
  });
}

/** Undefined for a file beside the folders. */
function folderOf(source: string, file: string): string | undefined {
  const [folder, ...rest] = file.slice(source.length + 1).split('/');
  return rest.length === 0 ? undefined : folder;
}
