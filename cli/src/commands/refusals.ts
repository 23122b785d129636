import { COMMAND } from '../command/leaf.ts';
import { type Failure, failed } from '../output/outcome.ts';
import { harmless } from '../output/table.ts';

export const unknownAccount = (id: string): Failure =>
  failed('account_unknown', `No open account is called ${harmless(id)}.`, `\`${COMMAND} accounts list\` shows them.`);

/** Does not print the given id: it may be a key pasted by mistake. */
export const unknownKey = (): Failure =>
  failed('key_unknown', 'No key has this id.', `\`${COMMAND} keys list\` shows the ids, which begin with key_.`);
