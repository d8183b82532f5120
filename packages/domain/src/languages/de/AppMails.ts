import type { GermanPair } from "../GermanPair.js"

/** Mails to developers: decisions about apps and purposes, and endpoints that fail. */
export const appMails: ReadonlyArray<GermanPair> = [
  { en: "We decided about one of your apps", de: "Wir haben über eine Ihrer Apps entschieden" },
  { en: "Your app", de: "Ihre App" },
  { en: "{app} is in production", de: "{app} ist in Produktion" },
  { en: "{app} was not approved for production", de: "{app} wurde nicht für die Produktion genehmigt" },
  { en: "{app} can ask for other scopes now", de: "{app} darf jetzt andere Scopes verwenden" },
  { en: "{app} was revoked", de: "{app} wurde widerrufen" },
  { en: 'Your app "{app}" is in production.', de: "Ihre App „{app}“ ist in Produktion." },
  {
    en: 'Your app "{app}" was not approved for production.',
    de: "Ihre App „{app}“ wurde nicht für die Produktion genehmigt."
  },
  { en: 'Your app "{app}" can ask for other scopes now.', de: "Ihre App „{app}“ darf jetzt andere Scopes verwenden." },
  { en: 'Your app "{app}" was revoked.', de: "Ihre App „{app}“ wurde widerrufen." },
  { en: "What was written with it:", de: "Dazu wurde geschrieben:" },
  {
    en: "Everybody can connect it from now on. Calls for coordinates need an approved purpose.",
    de: "Von jetzt an können alle sie verbinden. Abfragen von Koordinaten brauchen einen genehmigten Zweck."
  },
  {
    en: "It stays in the sandbox, where, apart from test people, only the person who holds the app can connect it. You can change it and submit it again.",
    de: "Sie bleibt in der Sandbox, in der außer Testpersonen nur ihr Inhaber sie verbinden kann. Sie können sie ändern und noch einmal einreichen."
  },
  {
    en: "Nothing is kept back any more: it can use every scope that it declares.",
    de: "Nichts ist mehr gesperrt: Sie darf jeden Scope verwenden, den sie angibt."
  },
  {
    en: "An admin took all of its scopes away. Its tokens open nothing until that is lifted.",
    de: "Ein Administrator hat ihr alle Scopes entzogen. Bis das aufgehoben ist, öffnen ihre Tokens nichts."
  },
  {
    en: "An admin left it these scopes, for its live tokens too: {scopes}.",
    de: "Ein Administrator hat ihr nur diese Scopes gelassen, auch für ihre gültigen Tokens: {scopes}."
  },
  {
    en: "Its tokens stopped working at once, it can get no new ones, its rules are stopped, and its users are disconnected.",
    de: "Ihre Tokens gelten ab sofort nicht mehr, neue bekommt sie nicht, ihre Regeln sind gestoppt, und alle sind von ihr getrennt, die sie verbunden hatten."
  },
  { en: "Changes to {app} were approved", de: "Änderungen an {app} wurden genehmigt" },
  { en: "Changes to {app} were not approved", de: "Änderungen an {app} wurden nicht genehmigt" },
  { en: 'The changes to your app "{app}" were approved.', de: "Die Änderungen an Ihrer App „{app}“ wurden genehmigt." },
  {
    en: 'The changes to your app "{app}" were not approved.',
    de: "Die Änderungen an Ihrer App „{app}“ wurden nicht genehmigt."
  },
  { en: "You asked for:", de: "Sie wollten:" },
  { en: "The name: {what}", de: "Der Name: {what}" },
  { en: "The description: {what}", de: "Die Beschreibung: {what}" },
  { en: "The web page: {what}", de: "Die Webseite: {what}" },
  { en: "A new logo", de: "Ein neues Logo" },
  { en: "The scopes: {what}", de: "Die Scopes: {what}" },
  { en: "The redirect URIs: {what}", de: "Die Redirect-URIs: {what}" },
  { en: "They are in force from now on.", de: "Sie gelten ab jetzt." },
  {
    en: "What was approved before stays in force, and nothing waits any more. You can change the app again.",
    de: "Was vorher genehmigt war, gilt weiter, und nichts wartet mehr. Sie können die App wieder ändern."
  },
  { en: "{app}: the purpose {key} was approved", de: "{app}: Der Zweck {key} wurde genehmigt" },
  { en: "{app}: the purpose {key} was not approved", de: "{app}: Der Zweck {key} wurde nicht genehmigt" },
  {
    en: 'The purpose {key} of your app "{app}" was approved:',
    de: "Der Zweck {key} Ihrer App „{app}“ wurde genehmigt:"
  },
  {
    en: 'The purpose {key} of your app "{app}" was not approved:',
    de: "Der Zweck {key} Ihrer App „{app}“ wurde nicht genehmigt:"
  },
  { en: "The reviewer wrote:", de: "Bei der Prüfung wurde geschrieben:" },
  {
    en: "Users read it in these words from now on, and your app can use it.",
    de: "Von jetzt an lesen ihn alle in diesen Worten, und Ihre App kann ihn verwenden."
  },
  {
    en: "Users read it in these words from now on. Your app can go on using it when it is in production.",
    de: "Von jetzt an lesen ihn alle in diesen Worten. Ihre App kann ihn weiter verwenden, wenn sie in Produktion ist."
  },
  {
    en: "What was approved before goes on working, in those words:",
    de: "Was vorher genehmigt war, gilt weiter, in jenen Worten:"
  },
  {
    en: "You can change it in the developer portal and submit it again.",
    de: "Sie können ihn im Entwicklerportal ändern und noch einmal einreichen."
  },
  { en: "A webhook endpoint of {app} was disabled", de: "Ein Webhook-Endpunkt von {app} wurde abgeschaltet" },
  {
    en: "A webhook endpoint of {app} failed {n:number} times in a row",
    de: "Ein Webhook-Endpunkt von {app} ist {n:number} Mal hintereinander fehlgeschlagen"
  },
  {
    en: 'We disabled an endpoint of your app "{app}":',
    de: "Wir haben einen Endpunkt Ihrer App „{app}“ abgeschaltet:"
  },
  {
    en: 'Events do not reach an endpoint of your app "{app}":',
    de: "Ereignisse erreichen einen Endpunkt Ihrer App „{app}“ nicht:"
  },
  {
    en: "On {at:moment} it came to {n:number} events in a row that failed at every one of their seven attempts.",
    de: "Am {at:moment} waren es {n:number} Ereignisse hintereinander, die bei jedem ihrer sieben Versuche fehlgeschlagen sind."
  },
  { en: "The last attempt ended with: {what:text}.", de: "Der letzte Versuch endete mit: {what:text}." },
  { en: "answered {status:number}", de: "Antwort {status:number}" },
  {
    en: "At {n:number} in a row we disable the endpoint: what waits for it then fails, and nothing more is sent there. One event that arrives sets the count back to 0; what you send again by hand does not count.",
    de: "Bei {n:number} hintereinander schalten wir den Endpunkt ab: Was dann für ihn wartet, schlägt fehl, und nichts mehr wird dorthin gesendet. Ein Ereignis, das ankommt, setzt die Zahl auf 0 zurück; was Sie von Hand noch einmal senden, zählt nicht."
  },
  {
    en: "Send the endpoint a test to see what it answers. When it works, send again what failed: it is kept for 30 days.",
    de: "Senden Sie dem Endpunkt einen Test, um zu sehen, was er antwortet. Wenn er funktioniert, senden Sie noch einmal, was fehlgeschlagen ist: Wir bewahren es 30 Tage auf."
  },
  {
    en: "Nothing is sent there any more. Events that waited for it have failed. Events that happen while it is disabled are not kept for it: your app finds out by asking again.",
    de: "Nichts mehr wird dorthin gesendet. Ereignisse, die für ihn gewartet haben, sind fehlgeschlagen. Was passiert, während er abgeschaltet ist, bewahren wir nicht für ihn auf: Ihre App erfährt es, wenn sie neu abfragt."
  },
  {
    en: "When your receiver works, send the endpoint a test and enable it. Then send the failed events again, from the day on which your receiver stopped working. That was a day or more before this e-mail: an event fails about a day after it happened. Failed events are kept for 30 days.",
    de: "Wenn Ihr Empfänger funktioniert, senden Sie dem Endpunkt einen Test und schalten ihn ein. Senden Sie dann die fehlgeschlagenen Ereignisse noch einmal, ab dem Tag, an dem Ihr Empfänger ausfiel. Das war einen Tag oder mehr vor dieser E-Mail: Ein Ereignis schlägt etwa einen Tag, nachdem es geschah, endgültig fehl. Wir bewahren fehlgeschlagene Ereignisse 30 Tage auf."
  },
  { en: "Test it, enable it, send again what failed", de: "Testen, einschalten, Fehlgeschlagenes noch einmal senden" },
  { en: "The endpoint", de: "Der Endpunkt" },
  { en: "What failed there", de: "Was dort fehlgeschlagen ist" }
]
