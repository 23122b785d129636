// The program on both virtual machines: payments it makes, and every payment it must refuse.
import { createHash } from 'node:crypto';
import {
  AccountRole,
  type Address,
  address,
  generateKeyPairSigner,
  getAddressDecoder,
  getAddressEncoder,
  type Instruction,
  type KeyPairSigner,
  signBytes,
} from '@solana/kit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LOCAL_PROGRAM } from '../local/local-program.ts';
import { openNode } from '../rpc/solana-node.ts';
import { drawActors } from '../testing/actors.ts';
import { startLiteChain } from '../testing/lite/start-lite-chain.ts';
import { noopProgram } from '../testing/noop-program.ts';
import { type ProgramWorld, startProgramWorld } from '../testing/program-world.ts';
import { priorityLamports } from '../transfer/compute-budget.ts';
import type { MessageTerms } from './message-terms.ts';
import { messageText } from './message-text.ts';
import { closeInstruction, evidenceInstruction, payInstruction } from './pay-instructions.ts';
import { receiptOf, signed64 } from './program-accounts.ts';
import { PROGRAM_CODES, RECEIPT_LAMPORTS } from './program-codes.ts';
import { buildPayment, compile, fitsTransaction, messageBudget, signSingle } from './sign-payment.ts';

/** Index of the receipt among the pay instruction's accounts, and offset of the receipt's bump in its data. */
const [RECEIPT_PLACE, RECEIPT_BUMP_AT] = [4, 2];

/** Address for this bump, valid or not. Built by hand: the library only returns the first valid one. */
function receiptAt({ program, payer, relayer, nonce, validBeforeSeconds }: MessageTerms, bump: number): Address {
  const [payerBytes, relayerBytes, programBytes] = [payer, relayer, program].map((key) =>
    Uint8Array.from(getAddressEncoder().encode(address(key))),
  );
  const seeds = ['receipt', payerBytes!, relayerBytes!, Buffer.from(nonce, 'hex'), signed64(validBeforeSeconds)];
  const digest = createHash('sha256');
  for (const part of [...seeds, Uint8Array.of(bump), programBytes!, 'ProgramDerivedAddress']) digest.update(part);
  return getAddressDecoder().decode(digest.digest());
}

/** Fee of two signatures, one of them the payer's. */
const FEE_LAMPORTS = 10_000n;

describe.each(['lite', 'surfpool'] as const)('on %s', (machine) => {
  let world: ProgramWorld;
  beforeAll(async () => {
    world = await startProgramWorld(machine);
  });
  afterAll(() => world.stop());

  const sign = async (terms: MessageTerms, by: KeyPairSigner = world.actors.payer) => {
    const text = await messageText(terms);
    return { text, signature: Uint8Array.from(await signBytes(by.keyPair.privateKey, Buffer.from(text))) };
  };
  /** The chain's answer to a payment with these terms and this evidence. */
  const play = async (terms: MessageTerms, signed?: Awaited<ReturnType<typeof sign>>) => {
    const transaction = await buildPayment(terms, signed ?? (await sign(terms)), await world.node.latestLifetime());
    return world.send(await signSingle(transaction, world.actors.relayer));
  };
  const refused = (code: bigint) => ({ ok: false, code });

  test('pays every recipient in one transaction; the relayer pays the fee and lends the receipt its rent', async () => {
    const terms = await world.terms();
    const before = await world.lamportsOf(terms.relayer);
    expect(await play(terms)).toEqual({ ok: true });
    for (const { owner, amountAtomic } of terms.legs) expect(await world.tokensOf(owner)).toBe(amountAtomic);
    const fee = FEE_LAMPORTS + priorityLamports(messageBudget(terms.legs.length));
    expect(before - (await world.lamportsOf(terms.relayer))).toBe(fee + RECEIPT_LAMPORTS);
    expect(await world.lamportsOf((await receiptOf(terms)).address)).toBe(RECEIPT_LAMPORTS);
  });

  test('refuses the same text a second time, in another transaction', async () => {
    const terms = await world.terms();
    const signed = await sign(terms);
    expect(await play(terms, signed)).toEqual({ ok: true });
    await world.nextBlockhash();
    expect(await play(terms, signed)).toEqual(refused(PROGRAM_CODES.used));
  });

  test('one signed text pays once, whichever of the 256 bumps names its receipt', async () => {
    const terms = await world.terms();
    const [units, price, evidence, pay] = await world.instructionsOf(terms, await sign(terms));
    const before = await world.tokensOf(terms.payer);
    const paidWith: number[] = [];
    for (let bump = 0; bump < 256; bump += 1) {
      const lifetime = await world.node.latestLifetime();
      const data = Uint8Array.from(pay!.data!);
      data[RECEIPT_BUMP_AT] = bump;
      const receipt = { address: receiptAt(terms, bump), role: AccountRole.WRITABLE } as const;
      const accounts = pay!.accounts!.with(RECEIPT_PLACE, receipt);
      const transaction = compile(terms.relayer, [units!, price!, evidence!, { ...pay!, accounts, data }], lifetime);
      if ((await world.send(await signSingle(transaction, world.actors.relayer))).ok) paidWith.push(bump);
    }
    expect(paidWith).toEqual([(await receiptOf(terms)).bump]);
    expect(before - (await world.tokensOf(terms.payer))).toBe(1_000_000n);
  });

  test('refuses other amounts under a text whose nonce was used', async () => {
    const terms = await world.terms();
    expect(await play(terms)).toEqual({ ok: true });
    const dearer = { ...terms, legs: terms.legs.map((leg) => ({ ...leg, amountAtomic: leg.amountAtomic + 1n })) };
    expect(await play(dearer)).toEqual(refused(PROGRAM_CODES.used));
  });

  test('refuses without evidence, and with evidence of something else in its place', async () => {
    const terms = await world.terms();
    const whole = await world.instructionsOf(terms, await sign(terms));
    const send = async (instructions: typeof whole) => {
      const lifetime = await world.node.latestLifetime();
      return world.send(await signSingle(compile(terms.relayer, instructions, lifetime), world.actors.relayer));
    };
    const [units, price, evidence, pay] = whole;
    expect(await send([units!, price!, pay!])).toEqual(refused(PROGRAM_CODES.noEvidence));
    expect(await send([units!, evidence!, price!, pay!])).toEqual(refused(PROGRAM_CODES.noEvidence));
    const doubled = Uint8Array.from(evidence!.data!);
    doubled[0] = 0;
    expect(await send([units!, price!, { ...evidence!, data: doubled }, pay!])).toMatchObject({ ok: false });
  });

  test('refuses what another signed, also when the forger’s own key is named in the evidence', async () => {
    const terms = await world.terms();
    const forged = await sign(terms, world.actors.stranger);
    expect(await play(terms, forged)).toMatchObject({ ok: false });
    const instructions = await world.instructionsOf(terms, forged, world.actors.stranger.address);
    const transaction = compile(terms.relayer, instructions, await world.node.latestLifetime());
    expect(await world.send(await signSingle(transaction, world.actors.relayer))).toEqual(
      refused(PROGRAM_CODES.signer),
    );
  });

  test('refuses every term that is not the one that was signed', async () => {
    const terms = await world.terms();
    const signed = await sign(terms);
    const { stranger } = world.actors;
    const [merchant, platform] = terms.legs;
    const changed: readonly Partial<MessageTerms>[] = [
      { legs: [{ ...merchant!, amountAtomic: merchant!.amountAtomic + 1n }, platform!] },
      {
        legs: [
          { ...merchant!, amountAtomic: merchant!.amountAtomic - 1n },
          { ...platform!, amountAtomic: platform!.amountAtomic + 1n },
        ],
      },
      { legs: [{ ...merchant!, owner: stranger.address }, platform!] },
      { legs: [merchant!, { ...platform!, owner: stranger.address }] },
      { legs: [merchant!] },
      { intentId: 'pi_another' },
      { nonce: 'ab'.repeat(32) },
      { validAfterSeconds: terms.validAfterSeconds - 1n },
      { validBeforeSeconds: terms.validBeforeSeconds + 1n },
    ];
    for (const change of changed) {
      expect(await play({ ...terms, ...change }, signed), JSON.stringify(Object.keys(change))).toEqual(
        refused(PROGRAM_CODES.text),
      );
    }
    expect(await play(terms, signed)).toEqual({ ok: true });
  });

  test('refuses another relayer than the one that was signed', async () => {
    const terms = await world.terms();
    const signed = await sign(terms);
    const other = await world.newRelayer();
    const theirs = { ...terms, relayer: other.address };
    const transaction = await buildPayment(theirs, signed, await world.node.latestLifetime());
    expect(await world.send(await signSingle(transaction, other))).toEqual(refused(PROGRAM_CODES.text));
  });

  test('refuses before its time and after it', async () => {
    const now = await world.nowSeconds();
    const over = await world.terms({ validAfterSeconds: now - 100n, validBeforeSeconds: now });
    expect(await play(over)).toEqual(refused(PROGRAM_CODES.window));
    const early = await world.terms({ validAfterSeconds: now + 3_000n, validBeforeSeconds: now + 6_000n });
    expect(await play(early)).toEqual(refused(PROGRAM_CODES.window));
  });

  test('money that a stranger sent to the receipt beforehand stops no payment, and the receipt is still good once', async () => {
    for (const lamports of [RECEIPT_LAMPORTS, RECEIPT_LAMPORTS * 2n]) {
      const terms = await world.terms();
      const { address } = await receiptOf(terms);
      await world.fundSol(address, lamports);
      expect(await play(terms)).toEqual({ ok: true });
      await world.nextBlockhash();
      expect(await play(terms)).toEqual(refused(PROGRAM_CODES.used));
    }
  });

  test('refuses a payer who approved nothing, too little, or took it back', async () => {
    const payer = await generateKeyPairSigner();
    await world.fundToken(payer.address, 10_000_000n);
    const terms = await world.terms({ payer: payer.address });
    const signed = await sign(terms, payer);
    expect(await play(terms, signed)).toMatchObject({ ok: false });
    await world.approve(payer, 999_999n);
    expect(await play(terms, signed)).toMatchObject({ ok: false });
    await world.approve(payer, 1_000_000n);
    expect(await play(terms, signed)).toEqual({ ok: true });
    await world.approve(payer, 5_000_000n);
    await world.approve(payer, 0n);
    const next = await world.terms({ payer: payer.address });
    expect(await play(next, await sign(next, payer))).toMatchObject({ ok: false });
  });

  test('writes amounts and keys as the service does, however odd', async () => {
    const odd = [1n, 10n, 999_999n, 1_000_000n, 1_050_000n, 100_000_000n, 123_456_789n];
    // 32 zero bytes, and keys with one leading zero.
    const owners = ['11111111111111111111111111111111', '12bzRJfBoSAtxxvfrRXqAPsPGPjPaAUMjXvT8wcRLnqT'];
    for (const [index, amountAtomic] of odd.entries()) {
      const terms = await world.terms();
      const owner = owners[index] ?? terms.legs[0]!.owner;
      await world.fundToken(owner, 0n);
      expect(await play({ ...terms, legs: [{ owner, amountAtomic }] }), `${amountAtomic} to ${owner}`).toEqual({
        ok: true,
      });
    }
  });

  test('seven recipients fit one transaction, eight do not', async () => {
    const terms = await world.terms();
    const legs = async (count: number) => ({
      ...terms,
      legs: await Promise.all(
        Array.from({ length: count }, async () => ({
          owner: (await generateKeyPairSigner()).address as string,
          amountAtomic: 1n,
        })),
      ),
    });
    const seven = await legs(7);
    expect([await fitsTransaction(seven), await fitsTransaction(await legs(8))]).toEqual([true, false]);
    for (const { owner } of seven.legs) await world.fundToken(owner, 0n);
    expect(await play(seven)).toEqual({ ok: true });
  });

  test('the rent comes back to its relayer when the time is over, whoever asks, and not before; the text stays used up', async () => {
    const now = await world.nowSeconds();
    const terms = await world.terms({ validBeforeSeconds: now + 30n });
    const signed = await sign(terms);
    expect(await play(terms, signed)).toEqual({ ok: true });
    const anybody = await world.newRelayer();
    const close = async (name = terms) =>
      world.send(
        await signSingle(
          compile(anybody.address, [await closeInstruction(name)], await world.node.latestLifetime()),
          anybody,
        ),
      );
    expect(await close()).toEqual(refused(PROGRAM_CODES.open));
    await world.travelTo(now + 95n);
    const before = await world.lamportsOf(terms.relayer);
    expect(await close({ ...terms, validBeforeSeconds: now })).toEqual(refused(PROGRAM_CODES.receipt));
    expect(await close()).toEqual({ ok: true });
    expect((await world.lamportsOf(terms.relayer)) - before).toBe(RECEIPT_LAMPORTS);
    expect(await world.lamportsOf((await receiptOf(terms)).address)).toBe(0n);
    await world.nextBlockhash();
    expect(await play(terms, signed)).toEqual(refused(PROGRAM_CODES.window));
  });
});

test('refuses a forged signature that a program without scruples lets pass, in the very form of evidence', async () => {
  const chain = await startLiteChain();
  onTestFinished(() => chain.stop());
  chain.ledger.unixSeconds = 1_800_000_000n;
  const { address: anything } = await generateKeyPairSigner();
  chain.ledger.addProgram(anything, noopProgram());
  const actors = await drawActors();
  chain.fundSol(actors.relayer.address, 1_000_000_000n);
  for (const owner of [actors.payer.address, actors.merchant, actors.platform])
    await chain.fundToken(owner, 1_000_000n);
  const terms: MessageTerms = {
    ...actors.terms('pi_forged'),
    program: LOCAL_PROGRAM,
    validAfterSeconds: 0n,
    validBeforeSeconds: 1_800_000_300n,
    nonce: '07'.repeat(32),
  };
  const evidence = evidenceInstruction(terms.payer, new Uint8Array(64), await messageText(terms));
  const forged = { ...evidence, programAddress: anything };
  const node = openNode(chain.rpcUrl);
  const play = async (instructions: readonly Instruction[]) => {
    const transaction = compile(terms.relayer, instructions, await node.latestLifetime());
    return node.simulate((await signSingle(transaction, actors.relayer)).wire);
  };
  expect(await play([forged])).toMatchObject({ ok: true });
  const answer = await play([forged, await payInstruction(terms)]);
  expect(answer).toMatchObject({ ok: false, error: { InstructionError: [1n, { Custom: PROGRAM_CODES.noEvidence }] } });
});
