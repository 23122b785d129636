// The element: attributes in, stages out. What happens at a stage is the flows' business, what is said the words'.

import type { AffordableToken, Eip1193Provider } from '@svc-pay/sdk/evm';
import { html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit';
import { nowMs } from './clock.ts';
import { beginPayment } from './flow/begin-payment.ts';
import { resumePayment } from './flow/resume-payment.ts';
import type { Learned, Scene } from './flow/scene.ts';
import { alone } from './flow/single-payment-lock.ts';
import type { OpenPayment } from './record/open-payments.ts';
import { pagePayments } from './record/page-payments.ts';
import {
  ATTRIBUTES,
  misconfiguredLine,
  readSettings,
  type Settings,
  type SettingsResult,
} from './settings/settings.ts';
import { isBusy, isCancelable, pressOf, type Stage } from './stage.ts';
import { type StateDetail, stateDetail } from './state-event.ts';
import { renderButton } from './view/render-button.ts';
import { renderDialog } from './view/render-dialog.ts';
import { sheetOf } from './view/sheet-of.ts';
import { styles } from './view/styles.ts';
import { findWallets } from './wallets/find-wallets.ts';
import type { PageWallets } from './wallets/page-wallets.ts';
import type { WalletOffer } from './wallets/wallet-kind.ts';
import { chooseWords } from './words/choose-words.ts';
import { sayStage } from './words/say-stage.ts';
import type { OwnWords } from './words/words.ts';

const SLOW_MS = 12_000;

/** One run of a flow: ended by its controller, and deaf to everything after that. */
type Run = { readonly controller: AbortController; readonly settings: Settings };

export class SvcPayButton extends LitElement {
  static override readonly styles = styles;
  static override readonly properties: PropertyDeclarations = {
    ...Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, attribute]) => [name, { attribute }])),
    theme: { reflect: true },
    lang: { reflect: true },
    words: { attribute: false },
    provider: { attribute: false },
    wallets: { attribute: false },
    stage: { state: true },
    isSlow: { state: true },
  };

  // Fields are declared only: a field of its own would hide the accessor that Lit makes.
  declare apiUrl: string | undefined;
  declare publishableKey: string | undefined;
  declare paymentIntentId: string | undefined;
  declare clientSecret: string | undefined;
  declare usdAmount: string | undefined;
  declare amount: string | undefined;
  declare tokenShortcode: string | undefined;
  declare mode: string | undefined;
  declare order: string | undefined;
  declare metadata: string | undefined;
  declare description: string | undefined;
  declare payTo: string | undefined;
  declare maxAmount: string | undefined;
  declare maxTimeoutSeconds: string | undefined;
  declare theme: string | undefined;
  declare words: OwnWords | undefined;
  declare provider: Eip1193Provider | undefined;
  declare wallets: PageWallets | undefined;
  declare protected stage: Stage;
  declare protected isSlow: boolean;

  #run: Run | undefined;
  #key: string | undefined;
  #slowTimer: ReturnType<typeof setTimeout> | undefined;
  #chooseWallet: ((wallet: WalletOffer | undefined) => void) | undefined;
  #chooseToken: ((token: AffordableToken | undefined) => void) | undefined;
  #learned: Learned = {};
  /** Kept here too: whoever asks again must not begin anew because storage was emptied meanwhile. */
  #open: OpenPayment | undefined;

  constructor() {
    super();
    this.stage = { name: 'ready' };
    this.isSlow = false;
  }

  /** Where it stands; the attribute of the same name follows it. */
  get state(): Stage['name'] {
    return this.stage.name;
  }

  /** As if it were pressed: begins, or asks again. Does nothing while something is going on. */
  pay(): void {
    const press = pressOf(this.stage);
    const read = this.#settings();
    // A second click comes before the first one shows.
    if (press === undefined || !read.ok || this.#run !== undefined) return;
    void this.#begin(read.settings);
  }

  /** Calls off what has not been sent yet. What was sent goes on. */
  cancel(): void {
    if (!isCancelable(this.stage)) return;
    this.#leave();
    this.#show({ name: 'ready' });
  }

  /** Forgets what is remembered of this payment. For a page that knows better how it ended. */
  reset(): void {
    const read = this.#settings();
    if (read.ok) pagePayments().forget(read.settings.key);
    this.#leave();
    this.#open = undefined;
    this.#show({ name: 'ready' });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.setAttribute('state', this.state);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // A move within the page is a removal that is taken back at once.
    queueMicrotask(() => {
      if (this.isConnected || !isBusy(this.stage)) return;
      this.#leave();
      clearTimeout(this.#slowTimer);
      this.stage = { name: 'ready' };
      // Should it come back, what was sent is asked for as on a new page.
      this.#key = undefined;
    });
  }

  protected override updated(): void {
    if (!this.isConnected) return;
    this.#follow(this.#settings());
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog === null || dialog.open === this.#hasSheet) return;
    if (this.#hasSheet) {
      dialog.showModal();
      dialog.querySelector<HTMLElement>('.row')?.focus();
    } else dialog.close();
  }

  /** Attributes may come late or change: the button then stands for something else, of which more may be known. */
  #follow(read: SettingsResult): void {
    // Attributes may come late: without a key or a secret the payer may be a live one, whose console is told nothing.
    const isTest = /^(?:pk_)?test_/.test(this.clientSecret ?? this.publishableKey ?? '');
    const key = read.ok
      ? read.settings.key + JSON.stringify(read.settings.payment.request)
      : `misconfigured ${read.part} ${isTest}`;
    if (key === this.#key) return;
    this.#key = key;
    this.#leave();
    this.#open = undefined;
    this.#learned = {};
    if (!read.ok) {
      if (isTest) console.warn(misconfiguredLine(read.part));
      return this.#show({ name: 'misconfigured', part: read.part });
    }
    const record = pagePayments().find(read.settings.key);
    if (record === undefined || record.isRefused === true) this.#show({ name: 'ready' });
    else void this.#begin(read.settings);
  }

  #leave(): void {
    this.#run?.controller.abort();
    this.#run = undefined;
    this.#chooseWallet?.(undefined);
    this.#chooseToken?.(undefined);
  }

  async #begin(settings: Settings): Promise<void> {
    this.#leave();
    const run: Run = { controller: new AbortController(), settings };
    this.#run = run;
    const { signal } = run.controller;
    const scene: Scene = {
      settings,
      records: pagePayments(),
      signal,
      nowMs,
      show: (stage, learned) => this.#run === run && this.#show(stage, learned),
      chooseToken: (tokens) => this.#askToken(scene, tokens),
      findWallets: () => findWallets(settings, this, signal),
    };
    const resume = async () => {
      const record = scene.records.find(settings.key) ?? this.#open;
      const open = record?.isRefused === true ? undefined : record;
      if (open !== undefined) await resumePayment(scene, open);
      return open !== undefined;
    };
    if (!(await resume())) {
      const work = async () => {
        // Another tab may have sent it while this one waited for its turn.
        if (!(await resume())) await this.#payNow(scene);
      };
      if (!(await alone(settings.key, work))) scene.show({ name: 'elsewhere' });
    }
    if (this.#run !== run) return;
    this.#run = undefined;
    this.#open = this.stage.name === 'unknown' ? (scene.records.find(settings.key) ?? this.#open) : undefined;
  }

  async #payNow(scene: Scene): Promise<void> {
    scene.show({ name: 'finding' });
    const wallets = await scene.findWallets();
    if (scene.signal.aborted) return;
    if (wallets.length === 0) return scene.show({ name: 'failed', code: 'no_wallet' });
    const wallet = wallets.length === 1 ? wallets[0] : await this.#askWallet(scene, wallets);
    if (scene.signal.aborted) return;
    if (wallet === undefined) return scene.show({ name: 'ready' });
    await beginPayment(scene, wallet);
  }

  #askWallet(scene: Scene, wallets: readonly WalletOffer[]): Promise<WalletOffer | undefined> {
    return new Promise((resolve) => {
      this.#chooseWallet = resolve;
      scene.show({ name: 'choose-wallet', wallets });
    });
  }

  #askToken(scene: Scene, tokens: readonly AffordableToken[]): Promise<AffordableToken | undefined> {
    return new Promise((resolve) => {
      this.#chooseToken = resolve;
      scene.show({ name: 'choose-token', tokens });
    });
  }

  #show(stage: Stage, learned: Learned = {}): void {
    this.#learned = stage.name === 'ready' ? {} : { ...this.#learned, ...learned };
    const isNew = stage.name !== this.stage.name;
    this.stage = stage;
    if (!isNew) return;
    this.isSlow = false;
    clearTimeout(this.#slowTimer);
    if (isBusy(stage)) {
      this.#slowTimer = setTimeout(() => {
        this.isSlow = true;
      }, SLOW_MS);
    }
    this.setAttribute('state', stage.name);
    const detail: StateDetail = stateDetail(stage, this.order, this.#learned);
    this.dispatchEvent(new CustomEvent('svc-pay-state', { detail, bubbles: true, composed: true }));
  }

  #settings(): SettingsResult {
    return readSettings(this);
  }

  get #hasSheet(): boolean {
    return this.stage.name === 'choose-wallet' || this.stage.name === 'choose-token';
  }

  get #language(): string {
    const told = this.closest<HTMLElement>('[lang]')?.lang;
    return told === undefined || told === '' ? (globalThis.navigator?.language ?? 'en') : told;
  }

  protected override render(): TemplateResult {
    const language = this.#language;
    const words = chooseWords(language, this.words);
    const read = this.#settings();
    const settings = this.#run?.settings ?? (read.ok ? read.settings : undefined);
    const saying = sayStage(this.stage, { words, language, settings, isSlow: this.isSlow });
    const press = pressOf(this.stage) === undefined ? undefined : () => this.pay();
    // A sheet has its own way out, and looking for wallets is over before anybody could press.
    const isShort = this.#hasSheet || this.stage.name === 'finding';
    const cancel =
      isCancelable(this.stage) && !isShort ? { label: words.cancel, act: () => this.#cancelFromPanel() } : undefined;
    const sheet = sheetOf(this.stage, words, language, {
      wallet: (wallet) => this.#chooseWallet?.(wallet),
      token: (token) => this.#chooseToken?.(token),
    });
    return html`${renderButton({ saying, press, cancel })}
      <dialog part="dialog" aria-labelledby="heading" @close=${() => this.#closed()} @click=${closeOnBackdrop}>
        ${sheet && renderDialog(sheet, () => this.renderRoot.querySelector('dialog')?.close())}
      </dialog>`;
  }

  /** The word that was pressed is about to go; focus returns to the button. */
  #cancelFromPanel(): void {
    this.cancel();
    this.renderRoot.querySelector<HTMLElement>('.press')?.focus();
  }

  /** Closed by the payer, or because a row was chosen: then nobody waits any more, or the next sheet is already open. */
  #closed(): void {
    if (this.renderRoot.querySelector('dialog')?.open === true) return;
    this.#chooseWallet?.(undefined);
    this.#chooseToken?.(undefined);
  }
}

function closeOnBackdrop(event: MouseEvent): void {
  if (event.target === event.currentTarget) (event.currentTarget as HTMLDialogElement).close();
}
