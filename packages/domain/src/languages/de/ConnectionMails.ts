import type { GermanPair } from "../GermanPair.js"

/**
 * Mails about connections: receipts, leaked tokens or codes, notices that the person chose, and the mail that the
 * person gets in place of further mails when many mails have named apps (`NamedMail`).
 */
export const connectionMails: ReadonlyArray<GermanPair> = [
  { en: "The connection", de: "Die Verbindung" },
  { en: "Connected apps", de: "Verbundene Apps" },
  { en: "Your access log", de: "Ihr Zugriffsprotokoll" },
  { en: "Your devices", de: "Ihre Geräte" },
  { en: "Developer portal", de: "Entwicklerportal" },
  { en: "Which mails you get", de: "Welche E-Mails Sie bekommen" },
  { en: "You disconnected {app}", de: "Sie haben {app} getrennt" },
  { en: 'On {at:moment} you disconnected the app "{app}".', de: "Sie haben die App „{app}“ am {at:moment} getrennt." },
  {
    en: "It can ask nothing more about you, and nothing more is sent to it. What it learned before, it keeps. What it asked stays in your access log.",
    de: "Sie kann nichts mehr über Sie abfragen, und wir senden ihr nichts mehr. Was sie vorher erfahren hat, behält sie. Was sie abgefragt hat, bleibt in Ihrem Zugriffsprotokoll."
  },
  {
    en: "To use it with your places again, connect it from the app.",
    de: "Um sie wieder mit Ihren Orten zu verwenden, verbinden Sie sie von der App aus."
  },
  { en: "You connected {app}", de: "Sie haben {app} verbunden" },
  { en: "You changed what {app} can do", de: "Sie haben geändert, was {app} darf" },
  {
    en: "You let {app} go on using your exact location",
    de: "Sie lassen {app} weiter Ihren genauen Standort verwenden"
  },
  {
    en: 'On {at:moment} you allowed the app "{app}" to:',
    de: "Am {at:moment} haben Sie der App „{app}“ Folgendes erlaubt:"
  },
  { en: "It can ask about none of your places.", de: "Sie darf nach keinem Ihrer Orte fragen." },
  { en: "It can ask about 1 place of yours.", de: "Sie darf nach 1 Ihrer Orte fragen." },
  { en: "It can ask about {n:number} places of yours.", de: "Sie darf nach {n:number} Ihrer Orte fragen." },
  { en: "Your exact location: until {at:moment}.", de: "Ihr genauer Standort: bis zum {at:moment}." },
  {
    en: "The connection has no end date. It goes on until you disconnect the app.",
    de: "Die Verbindung hat kein Enddatum. Sie besteht, bis Sie die App trennen."
  },
  { en: "The connection ends on {at:moment}.", de: "Die Verbindung endet am {at:moment}." },
  {
    en: "No phone of yours has sent its location yet: until one does, the app does not learn where you are. It can read history that you imported, as far as you allowed it. Set a phone up on the page Devices.",
    de: "Noch hat keines Ihrer Handys seinen Standort gesendet: Bis eines sendet, erfährt die App nicht, wo Sie sind. Standortverlauf, den Sie importiert haben, kann sie lesen, soweit Sie es erlaubt haben. Richten Sie auf der Seite Geräte ein Handy ein."
  },
  {
    en: "You can read what the app asks, change what it can do and disconnect it at any time under Connected apps.",
    de: "Unter „Verbundene Apps“ können Sie jederzeit lesen, was die App abfragt, ändern, was sie darf, und sie trennen."
  },
  {
    en: "If this was not you, somebody else can use your account. Disconnect the app, and set a new password now, which signs everybody out.",
    de: "Wenn Sie das nicht waren, kann jemand anderes Ihr Konto verwenden. Trennen Sie die App, und setzen Sie jetzt ein neues Passwort; das meldet alle ab."
  },
  {
    en: "You stopped sharing your exact location with {app}",
    de: "Sie geben Ihren genauen Standort nicht mehr an {app} weiter"
  },
  {
    en: 'On {at:moment} you stopped sharing your exact location with the app "{app}".',
    de: "Seit dem {at:moment} geben Sie Ihren genauen Standort nicht mehr an die App „{app}“ weiter."
  },
  {
    en: "Nothing else was shared with it, so it was disconnected.",
    de: "Sonst war nichts für sie freigegeben, deshalb wurde sie getrennt."
  },
  {
    en: "The rest of the connection goes on. You can end it under Connected apps.",
    de: "Die Verbindung besteht sonst weiter. Sie können sie unter „Verbundene Apps“ beenden."
  },
  {
    en: "What the app learned before, it keeps. What it asked stays in your access log.",
    de: "Was die App vorher erfahren hat, behält sie. Was sie abgefragt hat, bleibt in Ihrem Zugriffsprotokoll."
  },
  {
    en: 'On {at:moment} you changed the connection with the app "{app}". It can now:',
    de: "Am {at:moment} haben Sie die Verbindung mit der App „{app}“ geändert. Sie darf jetzt Folgendes:"
  },
  {
    en: 'On {at:moment} you changed the connection with the app "{app}". At the moment it can use nothing.',
    de: "Am {at:moment} haben Sie die Verbindung mit der App „{app}“ geändert. Zurzeit darf sie nichts."
  },
  {
    en: "Your exact location: not since {ended:moment}. You can give it back until {until:moment}.",
    de: "Ihr genauer Standort: seit dem {ended:moment} nicht mehr. Bis zum {until:moment} können Sie ihn wieder freigeben."
  },
  { en: "{app} was disconnected from your places", de: "{app} wurde von Ihren Orten getrennt" },
  { en: "An app was disconnected from your places", de: "Eine App wurde von Ihren Orten getrennt" },
  { en: "We disconnected an app from your account.", de: "Wir haben eine App von Ihrem Konto getrennt." },
  {
    en: 'We disconnected the app "{app}" from your account.',
    de: "Wir haben die App „{app}“ von Ihrem Konto getrennt."
  },
  {
    en: "A code that the app had already used was presented a second time. That can mean that somebody copied it. To be safe, every token of this connection stopped working at once and the app gets no more answers about you.",
    de: "Ein Code, den die App schon verwendet hatte, wurde ein zweites Mal vorgelegt. Das kann heißen, dass jemand ihn kopiert hat. Zur Sicherheit gelten alle Tokens dieser Verbindung ab sofort nicht mehr, und die App bekommt keine Antworten mehr über Sie."
  },
  {
    en: "A token that the app had already used was presented a second time. That can mean that somebody copied it. To be safe, every token of this connection stopped working at once and the app gets no more answers about you.",
    de: "Ein Token, das die App schon verwendet hatte, wurde ein zweites Mal vorgelegt. Das kann heißen, dass jemand es kopiert hat. Zur Sicherheit gelten alle Tokens dieser Verbindung ab sofort nicht mehr, und die App bekommt keine Antworten mehr über Sie."
  },
  {
    en: "You need not do anything. If you still use the app, connect it again from there. Your access log shows everything that was asked while it was connected.",
    de: "Sie müssen nichts tun. Wenn Sie die App noch verwenden, verbinden Sie sie von dort aus neu. Ihr Zugriffsprotokoll zeigt alles, was abgefragt wurde, solange sie verbunden war."
  },
  {
    en: "You got many e-mails about apps within an hour, so this one does not say which app it is. Until {at:moment} we may send no further e-mail when it happens with another app. Connected apps shows every app that we disconnected, and why.",
    de: "Sie haben innerhalb einer Stunde viele E-Mails über Apps bekommen, deshalb nennt diese die App nicht. Bis zum {at:moment} schicken wir vielleicht keine weitere E-Mail, wenn es mit einer anderen App passiert. „Verbundene Apps“ zeigt jede App, die wir getrennt haben, und den Grund."
  },
  { en: "We stop writing about your apps for an hour", de: "Eine Stunde lang schreiben wir nicht über Ihre Apps" },
  {
    en: "We sent you {n:number} e-mails about apps within an hour, and now more has happened. We do not write about each of these things. Until {at:moment} we send no more e-mail about what happens with your apps. Three things we still write: what we decided about an app that you develop, that an app is in your name now, and once an hour that somebody may have copied an app's token or code.",
    de: "Wir haben Ihnen innerhalb einer Stunde {n:number} E-Mails über Apps geschickt, und jetzt ist noch mehr passiert. Wir schreiben nicht über jedes Einzelne. Bis zum {at:moment} schicken wir keine E-Mails mehr darüber, was mit Ihren Apps passiert. Dreierlei schreiben wir trotzdem: was wir über eine App entschieden haben, die Sie entwickeln, dass eine App jetzt auf Ihren Namen registriert ist, und einmal in der Stunde, dass jemand ein Token oder einen Code einer App kopiert haben könnte."
  },
  {
    en: "You can look up everything that happened. Connected apps shows every app that you connected or disconnected, and what each can do. Your access log shows what they asked. If you develop apps, the developer portal shows which endpoints fail.",
    de: "Sie können alles nachsehen, was passiert ist. „Verbundene Apps“ zeigt jede App, die Sie verbunden oder getrennt haben, und was sie darf. Ihr Zugriffsprotokoll zeigt, was die Apps abgefragt haben. Wenn Sie Apps entwickeln, zeigt das Entwicklerportal, welche Endpunkte nicht funktionieren."
  },
  {
    en: "If this was not you, somebody else can use your account. Disconnect the apps that you do not know, and set a new password now, which signs everybody out.",
    de: "Wenn Sie das nicht waren, kann jemand anderes Ihr Konto verwenden. Trennen Sie die Apps, die Sie nicht kennen, und setzen Sie jetzt ein neues Passwort; das meldet alle ab."
  },
  { en: "{app} asked unusually often today", de: "{app} hat heute ungewöhnlich oft abgefragt" },
  {
    en: "- {app}: 1 request today, at most {most:number} a day in the two weeks before",
    de: "- {app}: heute 1 Abfrage, in den zwei Wochen davor höchstens {most:number} am Tag"
  },
  {
    en: "- {app}: {n:number} requests today, at most {most:number} a day in the two weeks before",
    de: "- {app}: heute {n:number} Abfragen, in den zwei Wochen davor höchstens {most:number} am Tag"
  },
  {
    en: "If you do not know why, you can pause or disconnect the app.",
    de: "Wenn Sie den Grund nicht kennen, können Sie die App pausieren oder trennen."
  },
  { en: "Your phone has sent nothing for a day", de: "Ihr Handy hat seit einem Tag nichts gesendet" },
  {
    en: 'The device "{name}" sent its last location on {at:moment}. Until it sends again, apps get "unknown" and rules stay quiet.',
    de: "Das Gerät „{name}“ hat am {at:moment} seinen letzten Standort gesendet. Bis es wieder sendet, bekommen Apps „unbekannt“, und Regeln lösen nicht aus."
  },
  {
    en: "Often a battery saver has stopped the app on the phone, or its permission for the location was taken away.",
    de: "Oft hat ein Energiesparmodus die App auf dem Handy gestoppt, oder sie darf den Standort nicht mehr verwenden."
  },
  { en: "Something ends in two days", de: "In zwei Tagen endet etwas" },
  { en: "- {app}: the connection ends on {at:moment}", de: "- {app}: Die Verbindung endet am {at:moment}" },
  { en: "- {app}: your exact location ends on {at:moment}", de: "- {app}: Ihr genauer Standort endet am {at:moment}" },
  {
    en: "You need not do anything. To let an app go on, extend the date on the page of the connection.",
    de: "Sie müssen nichts tun. Wenn eine App weitermachen soll, verlängern Sie das Datum auf der Seite der Verbindung."
  },
  { en: "Your week: which apps asked", de: "Ihre Woche: Welche Apps abgefragt haben" },
  { en: "No app asked in the last seven days.", de: "In den letzten sieben Tagen hat keine App etwas abgefragt." },
  { en: "In the last seven days:", de: "In den letzten sieben Tagen:" },
  { en: "- {app}: 1 request", de: "- {app}: 1 Abfrage" },
  { en: "- {app}: {n:number} requests", de: "- {app}: {n:number} Abfragen" },
  { en: "1 app can ask about you now.", de: "1 App kann jetzt etwas über Sie abfragen." },
  { en: "{n:number} apps can ask about you now.", de: "{n:number} Apps können jetzt etwas über Sie abfragen." },
  { en: "This week:", de: "Diese Woche:" },
  {
    en: "You chose this mail in the settings. There you can switch it off.",
    de: "Sie haben diese E-Mail in den Einstellungen gewählt. Dort können Sie sie abschalten."
  }
]
