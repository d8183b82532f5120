import type { GermanPair } from "../GermanPair.js"

/** Mails about second factors. */
export const factorMails: ReadonlyArray<GermanPair> = [
  { en: "Your second factor", de: "Ihr zweiter Faktor" },
  { en: "A passkey was added to your account", de: "Ihr Konto hat einen neuen Passkey" },
  {
    en: "On {at:moment} the passkey “{name}” was added to your account. It signs you in, with or without the password.",
    de: "Am {at:moment} wurde der Passkey „{name}“ zu Ihrem Konto hinzugefügt. Er meldet Sie an, mit oder ohne Passwort."
  },
  { en: "One-time codes were switched on for your account", de: "Einmalcodes sind jetzt für Ihr Konto eingeschaltet" },
  {
    en: "On {at:moment} an app for one-time codes was added to your account. From now on a sign-in asks for a code of it.",
    de: "Am {at:moment} wurde eine App für Einmalcodes zu Ihrem Konto hinzugefügt. Von jetzt an brauchen Sie beim Anmelden einen Code aus dieser App."
  },
  { en: "A passkey was removed from your account", de: "Ein Passkey wurde aus Ihrem Konto entfernt" },
  {
    en: "On {at:moment} the passkey “{name}” was removed from your account. It signs nobody in any more.",
    de: "Am {at:moment} wurde der Passkey „{name}“ aus Ihrem Konto entfernt. Mit ihm kann sich niemand mehr anmelden."
  },
  { en: "One-time codes were switched off for your account", de: "Einmalcodes sind jetzt für Ihr Konto ausgeschaltet" },
  {
    en: "On {at:moment} the app for one-time codes was removed from your account. Its codes count no more.",
    de: "Am {at:moment} wurde die App für Einmalcodes aus Ihrem Konto entfernt. Ihre Codes gelten nicht mehr."
  },
  { en: "New recovery codes were made for your account", de: "Ihr Konto hat neue Wiederherstellungscodes" },
  {
    en: "On {at:moment} new recovery codes were made for your account. The ones before count no more.",
    de: "Am {at:moment} wurden neue Wiederherstellungscodes für Ihr Konto erstellt. Die früheren gelten nicht mehr."
  },
  { en: "A recovery code of your account was used", de: "Ein Wiederherstellungscode Ihres Kontos wurde verwendet" },
  {
    en: "On {at:moment} a recovery code was used in place of your second factor. It was the last one: make new ones now.",
    de: "Am {at:moment} wurde statt Ihres zweiten Faktors ein Wiederherstellungscode verwendet. Es war der letzte: Erstellen Sie jetzt neue."
  },
  {
    en: "On {at:moment} a recovery code was used in place of your second factor. 1 recovery code is left.",
    de: "Am {at:moment} wurde statt Ihres zweiten Faktors ein Wiederherstellungscode verwendet. 1 Wiederherstellungscode ist übrig."
  },
  {
    en: "On {at:moment} a recovery code was used in place of your second factor. {n:number} recovery codes are left.",
    de: "Am {at:moment} wurde statt Ihres zweiten Faktors ein Wiederherstellungscode verwendet. {n:number} Wiederherstellungscodes sind übrig."
  },
  {
    en: "Somebody types wrong one-time codes for your account",
    de: "Jemand tippt falsche Einmalcodes für Ihr Konto"
  },
  {
    en: "Until {at:moment}, somebody who knows your password typed 5 or more wrong one-time codes in a row. After 100 wrong codes in a row, the codes of your app count no more until you use a passkey or a recovery code.",
    de: "Bis zum {at:moment} hat jemand, der Ihr Passwort kennt, mindestens 5 falsche Einmalcodes hintereinander getippt. Nach 100 falschen Codes hintereinander gelten die Codes Ihrer App nicht mehr, bis Sie einen Passkey oder einen Wiederherstellungscode verwenden."
  },
  {
    en: "If it was you, do nothing. If it was not you, somebody knows your password: set a new one now.",
    de: "Wenn Sie das waren, müssen Sie nichts tun. Wenn Sie das nicht waren, kennt jemand Ihr Passwort: Setzen Sie jetzt ein neues."
  },
  { en: "A passkey of your account may have been copied", de: "Ein Passkey Ihres Kontos wurde vielleicht kopiert" },
  {
    en: "On {at:moment} somebody tried to use the passkey “{name}” with an old count of signatures. This happens when a passkey was copied. We did not accept it.",
    de: "Am {at:moment} wollte jemand den Passkey „{name}“ mit einem alten Signaturzähler verwenden. Das kommt vor, wenn ein Passkey kopiert wurde. Wir haben ihn nicht angenommen."
  },
  {
    en: "Remove this passkey and add a new one. If you did not use it then, set a new password as well.",
    de: "Entfernen Sie diesen Passkey, und fügen Sie einen neuen hinzu. Wenn Sie ihn zu dieser Zeit nicht verwendet haben, setzen Sie auch ein neues Passwort."
  },
  { en: "Somebody asked to remove your second factor", de: "Jemand möchte Ihren zweiten Faktor entfernen lassen" },
  {
    en: "On {at:moment} somebody told those who run this service that you lost your second factor. They can remove it from {from:moment} on, and not before. After that, the password alone signs in.",
    de: "Am {at:moment} hat jemand den Betreibern dieses Dienstes gesagt, dass Sie Ihren zweiten Faktor verloren haben. Sie können ihn ab dem {from:moment} entfernen, nicht früher. Danach genügt das Passwort zum Anmelden."
  },
  { en: "If it was you, wait until then.", de: "Wenn Sie das waren, warten Sie bis dahin." },
  {
    en: "If it was not you, sign in with your second factor, or open the page below in a browser that is signed in and press “Keep my second factor”. Either stops it at once.",
    de: "Wenn Sie das nicht waren, melden Sie sich mit Ihrem zweiten Faktor an, oder öffnen Sie die Seite unten in einem Browser, der angemeldet ist, und wählen Sie „Meinen zweiten Faktor behalten“. Beides stoppt es sofort."
  },
  { en: "Your second factor was removed", de: "Ihr zweiter Faktor wurde entfernt" },
  {
    en: "On {at:moment} those who run this service removed the second factor of your account, as it was asked for three days before or earlier. Every browser was signed out. The password alone signs in now.",
    de: "Am {at:moment} haben die Betreiber dieses Dienstes den zweiten Faktor Ihres Kontos entfernt, wie es mindestens drei Tage vorher gewünscht wurde. Alle Browser wurden abgemeldet. Zum Anmelden genügt jetzt das Passwort."
  },
  {
    en: "Sign in and set up a new second factor. If you did not ask for this, set a new password at once and tell those who run this service.",
    de: "Melden Sie sich an, und richten Sie einen neuen zweiten Faktor ein. Wenn Sie das nicht wollten, setzen Sie sofort ein neues Passwort, und sagen Sie es den Betreibern dieses Dienstes."
  }
]
