import { html } from "../../html/Html.js"
import type * as en from "../en/review.js"
import { number, plural } from "./words.js"

export const review: typeof en.review = {
  title: "Prüfung",
  titleOf: (name) => `Prüfung: ${name}`,
  titleOfPurpose: (purpose, app) => `Prüfung: ${purpose} von ${app}`,
  tabs: { waiting: "Wartend", flags: "Auffällige Mengen", leaks: "Entwendete Schlüssel", apps: "Alle Apps" },
  newest: "Neueste",
  older: "Ältere",
  longestWaiting: "Am längsten wartend",
  more: "Weitere",
  none: "Keine",
  apps: {
    title: "Prüfung: alle Apps",
    lead: "Die Apps aller Entwickler, die neueste zuerst, mit den Entscheidungen über sie.",
    empty: "Es gibt noch keine Apps.",
    app: "App",
    state: "Zustand",
    developer: "Entwickler",
    created: "Angelegt",
    narrowed: "Eingeschränkt"
  },
  about: {
    heading: "Über die App",
    developer: "Entwickler",
    logo: "Logo",
    webPage: "Webseite",
    requested: "Verlangte Scopes",
    allowed: "Erlaubte Scopes",
    redirects: "Redirect-URIs",
    noRedirects: "Noch keine eingetragen",
    created: "Angelegt",
    revoked: "Widerrufen",
    onHold: "Ruht",
    onHoldText: (at) => html`Beginn: ${at}, weil das Konto ihres Inhabers gesperrt ist.`,
    noScope: "Kein Scope",
    sensitive: "Sensibel"
  },
  hints: {
    heading: "Sehen Sie zweimal hin",
    manyCalls: (purpose, perDay) =>
      html`Der Zweck ${purpose} kündigt ${number(perDay)} Abfragen je Tag und Person an, mehr als alle fünf Minuten
      eine.`,
    otherHosts: (webPage, hosts) =>
      html`Personen kehren zu einem anderen Host zurück als dem der Webseite, ${webPage}:${hosts}.`,
    noWebPage: "Die App hat keine Webseite, auf der Personen lesen könnten, wer fragt.",
    shortDescription: (words, scopes) =>
      `Die Beschreibung hat ${plural(words, "Wort", "Wörter")} für ${plural(scopes, "Scope", "Scopes")}.`,
    noPurpose: (scopes) => html`Kein Zweck sagt, wozu diese sensiblen Scopes da sind:${scopes}.`
  },
  history: {
    heading: "Bisherige Entscheidungen",
    empty: "Über diese App wurde noch nichts entschieden.",
    when: "Wann",
    decision: "Entscheidung",
    about: "Worüber",
    note: "Notiz",
    by: "Durch",
    kinds: { approved: "Genehmigt", rejected: "Abgelehnt", narrowed: "Eingeschränkt", revoked: "Widerrufen" },
    purpose: (key) => html`Zweck ${key}`,
    app: (name) => `Die App ${name}`,
    leftNoScope: "Geblieben: kein Scope",
    left: (scopes) => `Geblieben: ${scopes.join(", ")}`,
    changes: "Änderungen",
    inForceThen: "Damals gültig",
    askedFor: "Gewünscht"
  },
  decision: {
    heading: "Entscheiden",
    own: "Sie gehören zum Team dieser App, deshalb entscheidet jemand anderes darüber.",
    mailed: "Der Entwickler bekommt eine E-Mail mit Ihrer Notiz.",
    yours: "Ihre Entscheidung",
    note: "Notiz an den Entwickler",
    noteHint: "Zum Ablehnen: Sagen Sie, was sich ändern muss. Zum Genehmigen darf sie leer bleiben.",
    approve: "Genehmigen",
    reject: "Ablehnen",
    notRecorded: "Ihre Entscheidung wurde nicht gespeichert",
    changed:
      "Der Entwickler hat etwas geändert, nachdem Sie diese Seite geöffnet hatten. Lesen Sie noch einmal, dann entscheiden Sie.",
    expired:
      "Dieses Formular war abgelaufen, weil Sie sich neu angemeldet oder bestätigt haben. Ihre Notiz steht wieder im Formular: Entscheiden Sie noch einmal.",
    meanwhile: (reason) => html`Inzwischen: ${reason}.`,
    waitsSince: (at) => html`Wartet auf eine Entscheidung (Beginn: ${at}).`,
    administer: "Diese App verwalten",
    changes: "Änderungen, über die zu entscheiden ist",
    changesText: "Die App ist in Produktion. Bis Sie genehmigen, sehen alle, was jetzt gilt.",
    purposes: "Zwecke",
    noPurposes: "Die App hat keinen Zweck, also kann sie nicht nach genauen Standorten fragen.",
    firstApp:
      "Wenn Sie genehmigen, geht die App in Produktion: Alle können sie verbinden. Wenn Sie ablehnen, geht sie zurück in die Sandbox.",
    changedApp:
      "Wenn Sie genehmigen, gelten die Änderungen sofort. Wenn Sie ablehnen, gilt die frühere Fassung weiter, und die App arbeitet weiter.",
    firstPurpose: "Wenn Sie genehmigen, lesen alle genau diese Worte, und die App kann ihn in Produktion benutzen.",
    changedPurpose:
      "Wenn Sie genehmigen, ersetzt der neue Wortlaut den gültigen. Wenn Sie ablehnen, gilt der frühere weiter.",
    purpose: (key) => html`Zweck ${key}`,
    ofApp: {
      revoked: (app, developer) => html`Von ${app} (widerrufen), Entwickler: ${developer}.`,
      sandbox: (app, developer) => html`Von ${app} (in der Sandbox), Entwickler: ${developer}.`,
      in_review: (app, developer) => html`Von ${app} (in Prüfung), Entwickler: ${developer}.`,
      production: (app, developer) => html`Von ${app} (in Produktion), Entwickler: ${developer}.`
    },
    wording: "Wortlaut",
    lastNote: "Notiz der letzten Entscheidung",
    archived: (at) => html`Der Entwickler hat ihn archiviert, ${at}: Apps können ihn nicht mehr benutzen.`,
    staysInForce: "Der genehmigte Wortlaut gilt, bis ein neuer genehmigt ist."
  },
  wording: {
    users: "Personen lesen",
    scopes: "Scopes",
    expected: "Erwartet",
    volume: (calls) => `${plural(calls, "Abfrage", "Abfragen")} am Tag und je Person`,
    inReview: "In Prüfung",
    newest: "Neueste Fassung",
    approved: "Genehmigt",
    inForce: "Gültig"
  },
  preview: {
    inForce: "Gültig",
    proposed: "Wenn Sie genehmigen",
    theInForce: "Die Seite zur Zustimmung: gültig",
    theProposed: "Die Seite zur Zustimmung: wenn Sie genehmigen",
    alsoInForce: "Seite zur Zustimmung: gültig",
    alsoProposed: "Seite zur Zustimmung: wenn Sie genehmigen",
    title: (app) => `Seite zur Zustimmung von ${app}`,
    versions: "Fassungen der Seite zur Zustimmung",
    noRedirect: "Die App hat keine Redirect-URI, also kann sie noch niemanden fragen.",
    explained:
      "So sieht die Seite für eine Person aus, die noch nie verbunden war, wenn die App alles verlangt, was sie darf. Nichts darauf lässt sich drücken. Das Konto ist Ihres; die Orte sind Beispiele.",
    origins: "Die App kann Personen zu jeder dieser Adressen zurückschicken; die Seite zeigt die, die sie nennt:",
    hidden: "Nicht auf der Seite, weil kein genehmigter Zweck es abdeckt oder ein Administrator es weggenommen hat:"
  },
  queue: {
    title: "Prüfung: wartend",
    lead: "Zwecke und Apps, die auf eine Entscheidung warten, die am längsten wartenden zuerst.",
    empty: "Nichts wartet auf eine Entscheidung.",
    changedApp: "Änderungen einer App in Produktion",
    newApp: "App, in die Produktion",
    editedPurpose: "Änderung eines genehmigten Zwecks",
    newPurpose: "Neuer Zweck",
    since: (at, developer) => html`Wartet (Beginn: ${at}). Von ${developer}.`,
    app: (state) => html`Die App: ${state}`
  },
  flags: {
    title: "Prüfung: auffällige Mengen",
    lead: "Verbindungen, über die eine App an einem Tag mehr als doppelt so oft nach genauen Standorten gefragt hat, wie ihr Zweck erwartet, die neueste zuerst. Keine Abfrage wurde deshalb abgelehnt.",
    empty: "Keine App hat ungewöhnlich oft gefragt.",
    app: "App",
    connection: "Verbindung",
    purpose: "Zweck",
    asked: "Gefragt",
    expected: "Erwartet",
    when: "Wann",
    times: (count) => `${number(count)} Mal`,
    aDay: (count) => `${number(count)} am Tag`,
    fromTo: (from, to) => html`${from} bis<br />${to}`
  },
  leaks: {
    title: "Prüfung: entwendete Schlüssel",
    lead: "Verbindungen, deren verbrauchtes Refresh-Token oder verbrauchten Code jemand noch einmal benutzt hat, die neueste zuerst. Jede endete sofort, und die Person bekam eine E-Mail. Mehrere Verbindungen einer App heißen, dass die App ihre Tokens verliert.",
    empty: "Kein verbrauchtes Token und kein verbrauchter Code wurde noch einmal benutzt.",
    app: "App",
    connection: "Verbindung",
    key: "Noch einmal benutzt",
    when: "Wann",
    refreshToken: "Ein Refresh-Token",
    code: "Ein Code",
    ended: "Ein Token oder Code einer Verbindung, die schon vorher geendet hatte"
  }
}
