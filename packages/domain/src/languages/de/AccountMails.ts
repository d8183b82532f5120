import type { GermanPair } from "../GermanPair.js"

/**
 * Mails about sign-up, sign-in, passwords and addresses, decisions of staff about an account, its deletion, and
 * archives of its data.
 */
export const accountMails: ReadonlyArray<GermanPair> = [
  { en: "Confirm your e-mail address", de: "Bestätigen Sie Ihre E-Mail-Adresse" },
  {
    en: "Somebody signed up with this address. If it was you, open the link and type the password that you chose. The link works once, until {at:moment}.",
    de: "Jemand hat sich mit dieser Adresse registriert. Wenn Sie das waren, öffnen Sie den Link und geben Sie das Passwort ein, das Sie gewählt haben. Der Link funktioniert einmal, bis zum {at:moment}."
  },
  {
    en: "If it was not you, do nothing: without the link there is no account. Do not open it for somebody else.",
    de: "Wenn Sie das nicht waren, tun Sie nichts: Ohne den Link gibt es kein Konto. Öffnen Sie ihn nicht für jemand anderen."
  },
  { en: "Confirm the address", de: "Adresse bestätigen" },
  { en: "You have an account already", de: "Sie haben schon ein Konto" },
  {
    en: "Somebody signed up with this address, {email}, which has an account already. No second account was made, and nothing was changed. The page said the same as for a new address, so that strangers learn nothing.",
    de: "Jemand hat sich mit dieser Adresse registriert: {email}. Zu ihr gibt es schon ein Konto. Wir haben kein zweites angelegt und nichts geändert. Die Seite hat dasselbe gesagt wie bei einer neuen Adresse, damit Fremde nichts erfahren."
  },
  {
    en: "If it was you, sign in with the password of your account, or set a new one. If it was not you, do nothing.",
    de: "Wenn Sie das waren, melden Sie sich mit dem Passwort Ihres Kontos an, oder setzen Sie ein neues. Wenn Sie das nicht waren, tun Sie nichts."
  },
  { en: "Sign in", de: "Anmelden" },
  { en: "Set a new password", de: "Neues Passwort setzen" },
  {
    en: "Open the link to confirm this address, in a browser in which you are signed in. It works once, until {at:moment}.",
    de: "Öffnen Sie den Link, um diese Adresse zu bestätigen, und zwar in einem Browser, in dem Sie angemeldet sind. Er funktioniert einmal, bis zum {at:moment}."
  },
  {
    en: "Somebody wants to use this address for their account. If it was you, open the link in a browser in which you are signed in. It works once, until {at:moment}; you then sign in with this address.",
    de: "Jemand möchte diese Adresse für ein Konto verwenden. Wenn Sie das waren, öffnen Sie den Link in einem Browser, in dem Sie angemeldet sind. Er funktioniert einmal, bis zum {at:moment}; danach melden Sie sich mit dieser Adresse an."
  },
  {
    en: "If it was not you, do nothing: only a browser that is signed in to that account can use the link.",
    de: "Wenn Sie das nicht waren, tun Sie nichts: Nur ein Browser, der in diesem Konto angemeldet ist, kann den Link verwenden."
  },
  { en: "Somebody wanted to use your address", de: "Jemand wollte Ihre Adresse verwenden" },
  {
    en: "Somebody wanted to use your address, {email}, for another account. It is the address of your account, so nothing was changed.",
    de: "Jemand wollte Ihre Adresse für ein anderes Konto verwenden: {email}. Sie gehört zu Ihrem Konto, deshalb wurde nichts geändert."
  },
  {
    en: "If it was you, delete one of the two accounts, or choose another address for it first. If it was not you, do nothing.",
    de: "Wenn Sie das waren, löschen Sie eines der beiden Konten, oder wählen Sie zuerst eine andere Adresse dafür. Wenn Sie das nicht waren, tun Sie nichts."
  },
  { en: "The address of your account was changed", de: "Die Adresse Ihres Kontos wurde geändert" },
  {
    en: "On {at:moment} the address of your account was changed from {before} to {after}, by somebody who was signed in. From now on we write there, and you sign in with that address.",
    de: "Am {at:moment} wurde die Adresse Ihres Kontos von {before} zu {after} geändert, und zwar von jemandem, der angemeldet war. Von jetzt an schreiben wir dorthin, und Sie melden sich mit jener Adresse an."
  },
  {
    en: "If it was not you, somebody else uses your account. Open the link: it brings this address back, sets a new password and signs everybody out. It also removes all recovery codes, and every passkey and every app for one-time codes that was added in the 24 hours before the change or after it. It works once, until {at:moment}.",
    de: "Wenn Sie das nicht waren, verwendet jemand anderes Ihr Konto. Öffnen Sie den Link: Er stellt diese Adresse wieder her, setzt ein neues Passwort und meldet alle ab. Er entfernt auch alle Wiederherstellungscodes sowie jeden Passkey und jede App für Einmalcodes, die in den 24 Stunden vor der Änderung oder danach dazukamen. Er funktioniert einmal, bis zum {at:moment}."
  },
  {
    en: "If it was you, do nothing, and pass the link on to nobody.",
    de: "Wenn Sie das waren, tun Sie nichts, und geben Sie den Link niemandem weiter."
  },
  { en: "Undo the change", de: "Änderung rückgängig machen" },
  { en: "Your address is back", de: "Ihre Adresse ist zurück" },
  {
    en: "On {at:moment} your account got this address back, {email}, and a new password. Every browser was signed out: sign in with the new password.",
    de: "Am {at:moment} hat Ihr Konto diese Adresse zurückbekommen, {email}, und ein neues Passwort. Alle Browser wurden abgemeldet: Melden Sie sich mit dem neuen Passwort an."
  },
  {
    en: "We removed all recovery codes, and every passkey and every app for one-time codes that was added in the 24 hours before the change of the address or after it. Somebody else may have added them. If one of them was yours, add it again.",
    de: "Wir haben alle Wiederherstellungscodes entfernt sowie jeden Passkey und jede App für Einmalcodes, die in den 24 Stunden vor der Änderung der Adresse oder danach dazukamen. Jemand anderes kann sie hinzugefügt haben. Wenn etwas davon Ihnen gehört, fügen Sie es noch einmal hinzu."
  },
  {
    en: "Then look for what you do not know: among your passkeys and second factors, your connected apps and your phones, and in the teams, secrets and webhooks of your own apps. If you cannot sign in, tell those who run this service.",
    de: "Sehen Sie dann nach, ob etwas dabei ist, das Sie nicht kennen: bei Ihren Passkeys und zweiten Faktoren, Ihren verbundenen Apps und Ihren Geräten, und bei den Teams, Secrets und Webhooks Ihrer eigenen Apps. Wenn Sie sich nicht anmelden können, sagen Sie es den Betreibern dieses Dienstes."
  },
  { en: "A new browser signed in to your account", de: "Ein neuer Browser hat sich in Ihrem Konto angemeldet" },
  {
    en: "On {at:moment} somebody signed in to your account with your password: {browser} on {system}, from the network address {address:text}. You did not sign in with this browser before.",
    de: "Am {at:moment} hat sich jemand mit Ihrem Passwort in Ihrem Konto angemeldet: {browser} unter {system}, von der Netzadresse {address:text}. Mit diesem Browser haben Sie sich noch nie angemeldet."
  },
  {
    en: "On {at:moment} somebody signed in to your account with your password: {browser:text}, from the network address {address:text}. You did not sign in with this browser before.",
    de: "Am {at:moment} hat sich jemand mit Ihrem Passwort in Ihrem Konto angemeldet: {browser:text}, von der Netzadresse {address:text}. Mit diesem Browser haben Sie sich noch nie angemeldet."
  },
  {
    en: "On {at:moment} somebody signed in to your account with a passkey: {browser} on {system}, from the network address {address:text}. You did not sign in with this browser before.",
    de: "Am {at:moment} hat sich jemand mit einem Passkey in Ihrem Konto angemeldet: {browser} unter {system}, von der Netzadresse {address:text}. Mit diesem Browser haben Sie sich noch nie angemeldet."
  },
  {
    en: "On {at:moment} somebody signed in to your account with a passkey: {browser:text}, from the network address {address:text}. You did not sign in with this browser before.",
    de: "Am {at:moment} hat sich jemand mit einem Passkey in Ihrem Konto angemeldet: {browser:text}, von der Netzadresse {address:text}. Mit diesem Browser haben Sie sich noch nie angemeldet."
  },
  { en: "a browser or a program that we do not know", de: "ein Browser oder ein Programm, das wir nicht kennen" },
  { en: "unknown", de: "unbekannt" },
  {
    en: "If it was you, do nothing. If it was not you, somebody knows your password: set a new one now, which signs everybody out.",
    de: "Wenn Sie das waren, tun Sie nichts. Wenn Sie das nicht waren, kennt jemand Ihr Passwort: Setzen Sie jetzt ein neues; das meldet alle ab."
  },
  {
    en: "If it was you, do nothing. If it was not you, somebody can use one of your passkeys: remove that passkey now, and then set a new password, which signs everybody out.",
    de: "Wenn Sie das waren, tun Sie nichts. Wenn Sie das nicht waren, kann jemand einen Ihrer Passkeys verwenden: Entfernen Sie jetzt diesen Passkey, und setzen Sie danach ein neues Passwort; das meldet alle ab."
  },
  { en: "Where you are signed in", de: "Wo Sie angemeldet sind" },
  { en: "Sign in although others guess your password", de: "Anmelden, obwohl andere Ihr Passwort erraten wollen" },
  {
    en: "Somebody typed wrong passwords for your account, {email}, so sign-in is closed to browsers that we do not know. If it was you who asked for this mail, open the link in the browser in which you want to sign in. It works once, until {at:moment}. You need your password as well.",
    de: "Jemand hat falsche Passwörter für Ihr Konto {email} eingegeben. Deshalb kann sich kein Browser anmelden, den wir nicht kennen. Wenn Sie diese E-Mail angefordert haben, öffnen Sie den Link in dem Browser, in dem Sie sich anmelden möchten. Er funktioniert einmal, bis zum {at:moment}. Sie brauchen auch Ihr Passwort."
  },
  {
    en: "If it was not you, do nothing. Nobody can use the link who cannot read your mail. Never pass it on.",
    de: "Wenn Sie das nicht waren, tun Sie nichts. Wer Ihre E-Mails nicht lesen kann, kann den Link nicht verwenden. Geben Sie ihn niemals weiter."
  },
  { en: "Let this browser sign in", de: "Diesen Browser anmelden lassen" },
  { en: "Your password was changed", de: "Ihr Passwort wurde geändert" },
  {
    en: "On {at:moment} your password was changed, by somebody who was signed in and knew the old one. Every other browser was signed out.",
    de: "Am {at:moment} wurde Ihr Passwort geändert, und zwar von jemandem, der angemeldet war und das alte kannte. Alle anderen Browser wurden abgemeldet."
  },
  {
    en: "On {at:moment} a new password was set by a link. We mailed the link to you, or the operators of this service gave it to you. Every browser was signed out: sign in with the new password.",
    de: "Am {at:moment} wurde über einen Link ein neues Passwort gesetzt. Den Link haben wir Ihnen geschickt, oder Sie haben ihn von den Betreibern dieses Dienstes bekommen. Alle Browser wurden abgemeldet: Melden Sie sich mit dem neuen Passwort an."
  },
  {
    en: "If this was not you, somebody else can use your account. Set a new password now, which signs everybody out.",
    de: "Wenn Sie das nicht waren, kann jemand anderes Ihr Konto verwenden. Setzen Sie jetzt ein neues Passwort; das meldet alle ab."
  },
  {
    en: "Somebody asked for a new password for your account, {email}. If it was you, open the link. It works once, until {at:moment}, and signs you out everywhere.",
    de: "Jemand hat ein neues Passwort für Ihr Konto {email} angefordert. Wenn Sie das waren, öffnen Sie den Link. Er funktioniert einmal, bis zum {at:moment}, und meldet Sie überall ab."
  },
  {
    en: "If it was not you, do nothing: your password stays as it is. Nobody can use the link who cannot read your mail. Never pass it on.",
    de: "Wenn Sie das nicht waren, tun Sie nichts: Ihr Passwort bleibt, wie es ist. Wer Ihre E-Mails nicht lesen kann, kann den Link nicht verwenden. Geben Sie ihn niemals weiter."
  },
  { en: "You are a developer now", de: "Sie haben jetzt die Rolle Entwickler" },
  { en: "You are a reviewer now", de: "Sie haben jetzt die Rolle Prüfer" },
  { en: "You are an admin now", de: "Sie haben jetzt die Rolle Administrator" },
  {
    en: "On {at:moment} those who run this service made you a developer. If you did not expect this, tell them.",
    de: "Am {at:moment} haben Ihnen die Betreiber dieses Dienstes die Rolle Entwickler gegeben. Wenn Sie das nicht erwartet haben, sagen Sie es ihnen."
  },
  {
    en: "On {at:moment} those who run this service made you a reviewer. If you did not expect this, tell them.",
    de: "Am {at:moment} haben Ihnen die Betreiber dieses Dienstes die Rolle Prüfer gegeben. Wenn Sie das nicht erwartet haben, sagen Sie es ihnen."
  },
  {
    en: "On {at:moment} those who run this service made you an admin. If you did not expect this, tell them.",
    de: "Am {at:moment} haben Ihnen die Betreiber dieses Dienstes die Rolle Administrator gegeben. Wenn Sie das nicht erwartet haben, sagen Sie es ihnen."
  },
  { en: "You are not a developer any more", de: "Sie haben die Rolle Entwickler nicht mehr" },
  { en: "You are not a reviewer any more", de: "Sie haben die Rolle Prüfer nicht mehr" },
  { en: "You are not an admin any more", de: "Sie haben die Rolle Administrator nicht mehr" },
  {
    en: "On {at:moment} those who run this service took the role from you. Your account stays as it is otherwise.",
    de: "Am {at:moment} haben Ihnen die Betreiber dieses Dienstes die Rolle entzogen. Sonst bleibt Ihr Konto, wie es ist."
  },
  { en: "Your e-mail address is confirmed", de: "Ihre E-Mail-Adresse ist bestätigt" },
  {
    en: "On {at:moment} those who run this service confirmed that this address is yours. From now on we write here, and you can connect apps. If you have no account with us, tell them.",
    de: "Am {at:moment} haben die Betreiber dieses Dienstes bestätigt, dass diese Adresse Ihnen gehört. Von jetzt an schreiben wir hierher, und Sie können Apps verbinden. Wenn Sie kein Konto bei uns haben, sagen Sie es ihnen."
  },
  { en: "Your account was suspended", de: "Ihr Konto wurde gesperrt" },
  {
    en: "On {at:moment} those who run this service suspended your account. You cannot sign in, connected apps get no answers about you and no events, and your own apps are paused.",
    de: "Am {at:moment} haben die Betreiber dieses Dienstes Ihr Konto gesperrt. Sie können sich nicht anmelden, verbundene Apps bekommen keine Antworten und keine Ereignisse über Sie, und Ihre eigenen Apps sind pausiert."
  },
  {
    en: "Nothing is deleted. Your phones can still upload: when the account is resumed, everything works as before. To find out why, ask those who run this service.",
    de: "Nichts wird gelöscht. Ihre Handys können weiter senden: Sobald das Konto entsperrt ist, funktioniert alles wie vorher. Den Grund erfahren Sie von den Betreibern dieses Dienstes."
  },
  { en: "Your account works again", de: "Ihr Konto funktioniert wieder" },
  {
    en: "On {at:moment} those who run this service resumed your account. You can sign in again; connected apps and your own apps work as before. Events from the time between are not sent later.",
    de: "Am {at:moment} haben die Betreiber dieses Dienstes Ihr Konto entsperrt. Sie können sich wieder anmelden; verbundene Apps und Ihre eigenen Apps funktionieren wie vorher. Ereignisse aus der Zeit dazwischen werden nicht nachgeholt."
  },
  { en: "Your account was deleted", de: "Ihr Konto wurde gelöscht" },
  {
    en: "On {at:moment} your account was deleted, with the password and from a browser that was signed in.",
    de: "Am {at:moment} wurde Ihr Konto gelöscht, und zwar mit dem Passwort und in einem Browser, der angemeldet war."
  },
  {
    en: "On {at:moment} your account was deleted, by those who run this service.",
    de: "Am {at:moment} haben die Betreiber dieses Dienstes Ihr Konto gelöscht."
  },
  {
    en: "Apps can ask nothing more about you, your phones can send nothing more, and you are signed out everywhere. Your places, your history, your access log and everything else of yours are being removed now; that takes minutes, and a day for the last traces.",
    de: "Apps können nichts mehr über Sie abfragen, Ihre Handys können nichts mehr senden, und Sie sind überall abgemeldet. Ihre Orte, Ihr Standortverlauf, Ihr Zugriffsprotokoll und alles andere von Ihnen werden jetzt entfernt; das dauert Minuten, bei den letzten Spuren einen Tag."
  },
  { en: "Your app was revoked.", de: "Ihre App wurde widerrufen." },
  { en: "Your apps were revoked.", de: "Ihre Apps wurden widerrufen." },
  {
    en: "It cannot be undone. With this address you can make a new account at any time.",
    de: "Das lässt sich nicht rückgängig machen. Mit dieser Adresse können Sie jederzeit ein neues Konto anlegen."
  },
  {
    en: "What apps learned about you before, they keep: ask them to delete it. Backups of the service, if there are any, are kept as long as those who run it keep them.",
    de: "Was Apps vorher über Sie erfahren haben, behalten sie: Bitten Sie sie, es zu löschen. Sicherungskopien des Dienstes, falls es welche gibt, bleiben, solange die Betreiber sie aufbewahren."
  },
  {
    en: "If this was not you, tell those who run this service: somebody knows your password.",
    de: "Wenn Sie das nicht waren, sagen Sie es den Betreibern dieses Dienstes: Jemand kennt Ihr Passwort."
  },
  {
    en: "If you did not ask for it, ask those who run this service why.",
    de: "Wenn Sie das nicht wollten, fragen Sie die Betreiber dieses Dienstes nach dem Grund."
  },
  {
    en: "This is the last message that we send you, and the address is forgotten once it is sent.",
    de: "Dies ist die letzte Nachricht, die wir Ihnen schicken. Danach vergessen wir die Adresse."
  },
  { en: "Its developer deleted their account.", de: "Das Konto hinter der App wurde gelöscht." },
  { en: "Your archive is ready", de: "Ihr Archiv ist fertig" },
  {
    en: "The archive of your data that you asked for is ready. You can download it until {at:moment}; then it is deleted. You need to sign in for it.",
    de: "Das Archiv Ihrer Daten, das Sie angefordert haben, ist fertig. Sie können es bis zum {at:moment} herunterladen; danach wird es gelöscht. Dafür müssen Sie sich anmelden."
  },
  {
    en: "It has everywhere you were. Keep it where nobody else can read it.",
    de: "Es enthält alle Orte, an denen Sie waren. Bewahren Sie es so auf, dass niemand anderes es lesen kann."
  },
  {
    en: "If you did not ask for it, somebody else can use your account: delete the archive on that page, then set a new password.",
    de: "Wenn Sie es nicht angefordert haben, kann jemand anderes Ihr Konto verwenden: Löschen Sie das Archiv auf jener Seite, und setzen Sie dann ein neues Passwort."
  },
  { en: "Your archive could not be made", de: "Ihr Archiv konnte nicht erstellt werden" },
  {
    en: "The archive could not be made, although it was tried {n:number} times.",
    de: "Das Archiv konnte nicht erstellt werden, obwohl es {n:number} Mal versucht wurde."
  },
  {
    en: "The archive would have more than 1 GiB, and the service makes no larger one.",
    de: "Das Archiv wäre größer als 1 GiB, und der Dienst erstellt kein größeres."
  },
  {
    en: "Nothing of yours was changed. You can ask for it again, or tell those who run this service.",
    de: "An Ihren Daten wurde nichts geändert. Sie können das Archiv noch einmal anfordern oder es den Betreibern dieses Dienstes sagen."
  },
  { en: "Take your data along", de: "Ihre Daten mitnehmen" }
]
