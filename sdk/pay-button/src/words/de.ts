import type { Words } from './words.ts';

const BUSY_SERVICE = 'Der Zahlungsdienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.';

export const DE: Words = {
  pay: '{amount} bezahlen',
  payPlain: 'Bezahlen',
  authorize: 'Bis zu {amount} freigeben',
  authorizePlain: 'Freigeben',
  tryAgain: 'Noch einmal versuchen',
  checkAgain: 'Noch einmal nachsehen',
  cancel: 'Abbrechen',
  close: 'Schließen',
  yourWallet: 'Ihre Wallet',
  finding: 'Wallets werden gesucht',
  preparing: 'Wird vorbereitet',
  chooseWallet: 'Wallet auswählen',
  chooseToken: 'Bezahlen mit',
  tokenOn: '{token} auf {network}',
  balance: 'Guthaben {amount}',
  connect: 'Warten auf {wallet}',
  connectText: 'Öffnen Sie {wallet} und erlauben Sie dieser Seite, Ihr Konto zu sehen.',
  switchNetwork: 'Warten auf {wallet}',
  switchNetworkText: 'Öffnen Sie {wallet} und erlauben Sie den Wechsel in das Netzwerk dieser Zahlung.',
  sign: 'Warten auf {wallet}',
  signText: 'Öffnen Sie {wallet}, prüfen Sie dort den Betrag und bestätigen Sie. Vorher wird nichts abgebucht.',
  signUptoText:
    'Öffnen Sie {wallet} und bestätigen Sie dort. Sie erlauben höchstens {amount}; der Shop bucht ab, was Sie nutzen, ein einziges Mal.',
  approve: 'Warten auf {wallet}',
  approveText:
    'Schritt 1 von 2: Erlauben Sie in {wallet} den Betrag dieser Zahlung. Noch wird nichts abgebucht. Die Netzwerkgebühr zahlt Ihre Wallet.',
  approving: 'Warten auf das Netzwerk',
  approvingText: 'Ihre Erlaubnis ist unterwegs. Danach fragt {wallet} nach der Zahlung selbst.',
  approvingSlowText: 'Das Netzwerk braucht länger als sonst. Es wurde nichts abgebucht.',
  sendMoney: 'Warten auf {wallet}',
  sendMoneyText: 'Prüfen Sie in {wallet} den Betrag und senden Sie die Zahlung. Die Netzwerkgebühr kommt hinzu.',
  confirming: 'Wird bestätigt',
  confirmingText: 'Ihre Zahlung wurde gesendet und wird vom Netzwerk bestätigt. Sie können diese Seite schließen.',
  confirmingSlowText:
    'Ihre Zahlung wurde gesendet. Bis das Netzwerk sie endgültig bestätigt, können einige Minuten vergehen. Sie können diese Seite schließen.',
  walletSlowText: 'Kein Fenster? Klicken Sie im Browser auf das Symbol für {wallet} oder öffnen Sie die App.',
  preparingText: 'Der Zahlungsdienst wird nach den Einzelheiten gefragt.',
  preparingSlowText: 'Das dauert länger als sonst. Es wurde nichts abgebucht.',
  sending: 'Wird gesendet',
  sendingText: 'Sie haben unterschrieben. Bitte lassen Sie diese Seite noch einen Moment offen.',
  sendingSlowText:
    'Das dauert länger als sonst, aber Sie zahlen nicht doppelt. Bitte lassen Sie diese Seite noch offen.',
  settling: 'Wird ausgeführt',
  settlingText: 'Ihre Zahlung ist angekommen und wird ausgeführt. Sie können diese Seite schließen.',
  settlingSlowText:
    'Ihre Zahlung ist angekommen und wartet auf das Netzwerk. Es geht von selbst weiter: Sie können diese Seite schließen.',
  checking: 'Wird geprüft',
  checkingText: 'Hier ist schon eine Zahlung unterwegs. Wir fragen nach, wie sie steht.',
  checkingSlowText:
    'Noch keine Antwort. Sie können diese Seite schließen und später wiederkommen; Sie zahlen nicht doppelt.',
  paid: '{amount} bezahlt',
  paidPlain: 'Bezahlt',
  paidText: 'Vielen Dank. Transaktion {id}',
  paidPlainText: 'Vielen Dank.',
  signedCap: 'den Betrag in Ihrer Wallet',
  authorized: 'Freigegeben',
  authorizedText: 'Es wurde noch nichts abgebucht. Der Shop bucht ab, was Sie nutzen, höchstens {amount}.',
  authorizedUntilText:
    'Es wurde noch nichts abgebucht. Der Shop bucht ab, was Sie nutzen, höchstens {amount}, bis {time}.',
  failed: 'Nicht bezahlt',
  nothingCharged: 'Es wurde nichts abgebucht.',
  unknown: 'Noch nicht bestätigt',
  unknownText:
    'Ihre Zahlung wurde gesendet, aber wir wissen noch nicht, wie sie ausging. Zahlen Sie nicht noch einmal: Sehen Sie gleich noch einmal nach oder fragen Sie den Shop.',
  unknownUnderWayText:
    'Ihre Zahlung wird noch ausgeführt. Zahlen Sie nicht noch einmal: Sie können diese Seite schließen und später nachsehen.',
  unknownUptoText:
    'Ihre Freigabe wurde gesendet, aber wir wissen noch nicht, ob sie ankam. Sehen Sie gleich noch einmal nach oder fragen Sie den Shop.',
  unknownAskedText:
    'Ihre Wallet sollte die Zahlung senden und hat nicht gesagt, ob sie es tat. Sehen Sie dort nach, bevor Sie noch einmal zahlen, und sehen Sie dann hier noch einmal nach.',
  mismatched: 'Ein anderer Betrag kam an',
  mismatchedText:
    'Der angekommene Betrag ist nicht der verlangte. Bitte wenden Sie sich an den Shop; zahlen Sie nicht noch einmal.',
  elsewhere: 'Anderswo geöffnet',
  elsewhereText:
    'Diese Zahlung ist schon in einem anderen Tab oder Fenster offen. Beenden Sie sie dort, oder schließen Sie es und versuchen Sie es noch einmal.',
  misconfigured: 'Bezahlen ist nicht möglich',
  misconfiguredText: 'Dieser Knopf ist nicht richtig eingerichtet ({part}). Bitte sagen Sie es dem Shop.',
  problems: {
    otherwise: 'Diese Zahlung ist hier gerade nicht möglich. Versuchen Sie es später oder fragen Sie den Shop.',
    acceptance_refused:
      'Der Zahlungsdienst verlangt etwas anderes als diese Seite, darum wurde nichts unterschrieben. Sagen Sie es dem Shop.',
    answer_unreadable: BUSY_SERVICE,
    approval_failed:
      'Der Betrag wurde in Ihrer Wallet nicht erlaubt. Versuchen Sie es noch einmal und erlauben Sie den gezeigten Betrag.',
    authorization_expired:
      'Die Unterschrift kam zu spät an. Versuchen Sie es noch einmal und bestätigen Sie etwas früher.',
    chain_unavailable: BUSY_SERVICE,
    connection_refused:
      'Die Wallet wurde nicht verbunden. Versuchen Sie es noch einmal und erlauben Sie die Verbindung.',
    insufficient_funds:
      'Das Guthaben dieser Wallet reicht nicht. Laden Sie es auf oder nehmen Sie eine andere Wallet, dann versuchen Sie es noch einmal.',
    insufficient_gas:
      'Diese Wallet kann die Netzwerkgebühr nicht zahlen. Laden Sie die Münze des Netzwerks auf, dann versuchen Sie es noch einmal.',
    intent_not_payable: 'Diese Zahlung ist nicht mehr offen. Laden Sie die Seite neu, um zu sehen, wie sie steht.',
    internal_error: BUSY_SERVICE,
    invalid_signature:
      'Die Unterschrift passt nicht zu dieser Zahlung. Versuchen Sie es noch einmal oder nehmen Sie eine andere Wallet.',
    network_switch_refused:
      'Die Wallet blieb in einem anderen Netzwerk. Versuchen Sie es noch einmal und erlauben Sie den Wechsel.',
    no_account:
      'Die Wallet hat kein Konto, aus dem bezahlt werden kann. Fügen Sie eines hinzu oder entsperren Sie es, dann versuchen Sie es noch einmal.',
    no_usable_acceptance: 'Mit dieser Wallet geht es hier nicht. Versuchen Sie es mit einer anderen.',
    no_wallet:
      'Es wurde keine Wallet gefunden. Installieren Sie eine oder öffnen Sie diese Seite in ihrer App, dann versuchen Sie es noch einmal.',
    not_received:
      'Ihre frühere Zahlung kam nie an, und ihre Unterschrift ist abgelaufen. Sie können noch einmal bezahlen.',
    nothing_arrived: 'Es kam keine frühere Zahlung von Ihnen an. Sie können noch einmal bezahlen.',
    payment_canceled: 'Die Zahlung wurde storniert. Sie können es noch einmal versuchen oder den Shop fragen.',
    payment_failed: 'Die Zahlung ist nicht zustande gekommen. Sie können es noch einmal versuchen.',
    price_unavailable: BUSY_SERVICE,
    rate_limited: BUSY_SERVICE,
    regular_flow_unavailable:
      'Mit dieser Wallet geht dieser Betrag oder Token nicht. Nehmen Sie eine andere oder fragen Sie den Shop.',
    sender_mismatch:
      'Der Shop erwartet die Zahlung von einem anderen Konto. Wechseln Sie es in der Wallet, dann versuchen Sie es noch einmal.',
    service_unavailable: BUSY_SERVICE,
    service_unreachable:
      'Der Zahlungsdienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung, dann versuchen Sie es noch einmal.',
    signature_refused: 'Sie haben in der Wallet nicht bestätigt. Zum Bezahlen versuchen Sie es noch einmal.',
    token_refused: 'Der Token hat die Überweisung abgelehnt. Versuchen Sie es mit einer anderen Wallet.',
    transaction_reverted:
      'Das Netzwerk hat die Zahlung abgelehnt. Prüfen Sie Ihr Guthaben, dann versuchen Sie es noch einmal.',
    typed_data_unsupported: 'Diese Wallet kann keine Zahlungen unterschreiben. Versuchen Sie es mit einer anderen.',
    wallet_closed: 'Die Wallet wurde geschlossen. Öffnen Sie sie und versuchen Sie es noch einmal.',
    wallet_failed:
      'Die Wallet konnte diese Zahlung nicht unterschreiben. Versuchen Sie es noch einmal oder nehmen Sie eine andere.',
    wallet_not_deployed:
      'Diese Wallet ist in diesem Netzwerk noch nicht eingerichtet. Machen Sie dort eine Transaktion mit ihr, oder nehmen Sie eine andere.',
    wallet_timeout: 'Die Wallet hat nicht geantwortet. Öffnen Sie sie, dann versuchen Sie es noch einmal.',
    wrong_network: 'Die Wallet ist in einem anderen Netzwerk. Wechseln Sie es dort, dann versuchen Sie es noch einmal.',
  },
};
