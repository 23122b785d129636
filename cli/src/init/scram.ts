import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ROUNDS = 4_096;

/**
 * What PostgreSQL stores of a password (RFC 5803). A role that is made with it has the password, and the SQL does not. The
 * rounds are PostgreSQL's own; the passwords have 256 random bits, which no number of rounds makes stronger.
 */
export function scramVerifier(password: string, salt: Uint8Array = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256');
  const keyFor = (use: string) => createHmac('sha256', salted).update(use).digest();
  const stored = createHash('sha256').update(keyFor('Client Key')).digest('base64');
  const server = keyFor('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${Buffer.from(salt).toString('base64')}$${stored}:${server}`;
}
