// Keys that no published file may hold, found by how they are written.

/** Also inside a string of a program or of JSON, where a line ends in the two characters `\\n`. */
const PEM_KEY =
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\s|\\[rn])+(?:[\w-]+: [^\n\\]*(?:\s|\\[rn])+)*[A-Za-z0-9+/=]{20,}/;
/** A secret key of an account of ours; many payment services write theirs like this. */
const ACCOUNT_KEY = /\bsk_(?:live|test)_[A-Za-z0-9]{20,}/;
/** Anvil's mnemonic and the first keys that it gives to everybody, in two halves: the source of a release has this file. */
const TEST_KEYS = [
  /(?:test ){11}junk/,
  ...[
    ['ac0974bec39a17e36ba4a6b4d238ff94', '4bacb478cbed5efcae784d7bf4f2ff80'],
    ['59c6995e998f97a5a0044966f0945389', 'dc9e86dae88c7a8412f4603b6b78690d'],
    ['5de4111afa1a4b94908f83103eb1f170', '6367c2e68ca870fc3fb9a804cdab365a'],
  ].map((halves) => new RegExp(halves.join(''), 'i')),
];

/** Files that are a key as a whole: of an EVM account, of a Solana account, and a keystore. */
const KEY_FILES = [
  /^\s*0x[\da-f]{64}\s*$/i,
  /^\s*\[\s*\d{1,3}(?:\s*,\s*\d{1,3}){63}\s*\]\s*$/,
  /^\s*\{[^]{0,2000}"ciphertext"\s*:\s*"[\da-f]{64,}"[^]{0,2000}\}\s*$/i,
];

export const holdsPrivateKey = (text: string): boolean =>
  PEM_KEY.test(text) || ACCOUNT_KEY.test(text) || KEY_FILES.some((file) => file.test(text));

/** Comments in packages of others quote these keys; files of ours may not have them. */
export const holdsTestKey = (text: string): boolean => TEST_KEYS.some((key) => key.test(text));
