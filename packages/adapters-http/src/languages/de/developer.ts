import { html } from "../../html/Html.js"
import type * as en from "../en/developer.js"
import { number, plural } from "./words.js"

export const developer: typeof en.developer = {
  yourApps: "Ihre Apps",
  parts: {
    name: "Name",
    description: "Beschreibung",
    homepage: "Webseite",
    logo: "Logo",
    theLogo: "Das Logo",
    scopes: "Scopes",
    redirects: "Redirect-URIs",
    none: "Nichts"
  },
  versions: { inForce: "Gültig", waits: "Wartet auf die Prüfung" },
  badges: {
    revoked: "Widerrufen",
    onHold: "Ruht",
    states: { sandbox: "Sandbox", in_review: "In Prüfung", production: "Produktion" },
    sensitive: "Sensibel"
  },
  noteWithDecision: "Notiz zur Entscheidung",
  outdated: {
    text: (saved) => `ist so, wie es in Ihrem Formular stand; gespeichert ist: ${saved}`,
    textNone: "ist so, wie es in Ihrem Formular stand; gespeichert ist nichts",
    list: (posted) => `sind so, wie sie jetzt gespeichert sind; in Ihrem Formular standen: ${posted}`,
    listNone: "sind so, wie sie jetzt gespeichert sind; in Ihrem Formular standen keine",
    address: (posted) => `ist so, wie sie jetzt gespeichert ist; in Ihrem Formular stand: ${posted}`,
    addressNone: "ist so, wie sie jetzt gespeichert ist; in Ihrem Formular stand keine",
    allEvents:
      "sind so, wie sie jetzt gespeichert sind; in Ihrem Formular war keines angekreuzt, was alle Ereignisse bedeutet"
  },
  tabs: {
    overview: "Übersicht",
    users: "Personen",
    calls: "Anfragen",
    webhooks: "Webhooks",
    deliveries: "Zustellungen",
    team: "Team",
    testPeople: "Testpersonen"
  },
  figures: {
    heading: (days) => `Die letzten ${days} Tage`,
    users: "Personen jetzt",
    usersMost: (most) => `von den neuesten ${number(most)} Verbindungen`,
    connected: "Neue Verbindungen",
    calls: "Anfragen",
    errors: "Fehler",
    errorShare: (share) => `${share.replace(".", ",")} % der Anfragen`,
    rateUse: "Höchstens genutzt vom Limit",
    rateShare: (percent) => `${number(percent)} %`,
    rateText: (limited) =>
      limited === 0
        ? "für eine Person, keine Anfrage abgewiesen"
        : `für eine Person, ${plural(limited, "Anfrage", "Anfragen")} abgewiesen`,
    firings: "Ausgelöste Regeln",
    day: "Tag",
    number: "Anzahl",
    percent: "Prozent",
    caption: (what) => html`${what} nach Tagen`,
    hint: "Einmal in der Sekunde gezählt. Ein Absturz kann eine Sekunde verlieren, also sind die Zahlen nicht für Abrechnungen. Die Tage richten sich nach Ihrer Zeitzone.",
    splitHours:
      "Gezählt wird nach Stunden der UTC, und Mitternacht liegt in Ihrer Zeitzone mitten in einer solchen Stunde: Die Stunde, in der Mitternacht liegt, zählt zum früheren Tag.",
    log: "Anfragen ansehen"
  },
  calls: {
    title: (app) => `${app}: Anfragen`,
    lead: "Die Anfragen der App in den letzten 7 Tagen, die neuesten zuerst, mit den Kennungen ihrer Antworten. Darin stehen keine Person, keine Query und keine Adresse.",
    all: "Alle Anfragen",
    refused: "Nur Fehler",
    which: "Welche Anfragen",
    empty: "Noch keine Anfrage. Es dauert eine Sekunde, bis eine erscheint.",
    noneRefused: "Keine Anfrage wurde abgewiesen.",
    at: "Wann",
    endpoint: "Anfrage",
    status: "Status",
    error: "Fehler",
    requestId: "Kennung",
    older: "Ältere",
    newest: "Neueste",
    unlisted: (count) =>
      count === 1
        ? "1 Anfrage der letzten 7 Tage kam zu schnell und steht nicht hier. Gezählt ist sie."
        : `${number(count)} Anfragen der letzten 7 Tage kamen zu schnell und stehen nicht hier. Gezählt sind sie.`
  },
  apps: {
    lead: html`Eine App bittet Personen um Erlaubnis, liest Antworten zu ihren Orten und bekommt Ereignisse, wenn etwas
      geschieht. Wie das geht, erklärt die <a href="/docs">Dokumentation</a> (auf Englisch); sie beginnt mit einem
      <a href="/docs/quick-start">Schnellstart</a>.`,
    empty: "Sie haben noch keine Apps. Mit der ersten werden Sie zum Entwickler.",
    created: (at) => html`Angelegt ${at}`,
    create: "App anlegen",
    createLead: "Sie beginnt in der Sandbox, in der nur Sie sie verbinden können.",
    createApp: "App anlegen",
    oldest: "Älteste",
    more: "Weitere",
    nameHint: "Personen sehen ihn, wenn sie zustimmen sollen.",
    descriptionHint: "Was die App für Personen tut, in ein oder zwei Sätzen.",
    homepageHint: "Freiwillig.",
    scopesHint:
      "Das Meiste, was Personen Ihrer App erlauben können. Verlangen Sie wenig: Was Personen nicht verstehen, lehnen sie ab.",
    cannotBeUsed: (reason) => html`kann nicht benutzt werden: ${reason}`
  },
  app: {
    next: "Als Nächstes: Registrieren Sie die Adressen, zu denen Personen zurückkehren. Damit bekommen Sie auch das Client-Secret.",
    credentials: "Zugangsdaten",
    clientId: "Client-ID",
    clientSecret: "Client-Secret",
    clientSecretText:
      "Wird einmal gezeigt, wenn es ausgestellt wird. Wenn Sie ein weiteres ausstellen, gilt das alte noch 24 Stunden.",
    redirectsHint:
      "Eine je Zeile. Personen kehren zu genau diesen Adressen zurück: https, http auf localhost oder ein eigenes Schema wie com.example.app:/back.",
    saveRedirects: "Redirect-URIs speichern",
    register: "Registrieren und ein Secret ausstellen",
    about: "Über die App",
    addLogo: "Logo hinzufügen",
    changeLogo: "Logo ändern",
    save: "Speichern",
    authorize: "Adresse der Autorisierung",
    authorizeText: html`Schicken Sie den Browser der Person hierher. Setzen Sie den SHA-256 eines frischen Verifiers
      (base64url) an die Stelle von <code>CODE_CHALLENGE</code> und 8 bis 512 Zeichen, die niemand erraten kann, an die
      Stelle von <code>STATE</code>.`,
    authorizeUrl: "Adresse zum Kopieren",
    authorizeNone: "Eine Adresse muss mindestens einen Scope verlangen, und die App kann zurzeit keinen verlangen.",
    authorizeLeftOut: (scopes) =>
      html`Nicht in der Adresse, weil jeder davon einen Zweck braucht, den die App verwenden darf: ${scopes}.`,
    revoked: "Widerrufen",
    revokedText: (at) =>
      html`Die App wurde widerrufen (${at}), und das ist endgültig. Ihre Tokens und Client-Secrets gelten nicht mehr,
      und alle Personen sind von ihr getrennt.`,
    onHold: (at) =>
      html`<strong>Die App ruht (Beginn: ${at})</strong>, weil das Konto ihres Inhabers gesperrt ist. Sie bekommt keine
        Antworten und keine Ereignisse, und niemand kann sie verbinden. Wenn die Sperre endet, geht alles wie vorher.`,
    waitsSince: (at) => html`Sie wartet (Beginn: ${at}).`,
    changes: "Änderungen, die auf die Prüfung warten",
    changesWait: (at) =>
      html`Sie warten (Beginn: ${at}). Sie bekommen eine E-Mail, wenn die Prüfung entschieden ist. Bis dahin sehen
      Personen, was jetzt gilt.`,
    withdrawText:
      "Wenn Sie die Änderungen zurückziehen, gilt die genehmigte Fassung weiter. Um einen Teil zurückzuziehen, setzen Sie ihn in den Formularen unten zurück.",
    withdraw: "Diese Änderungen zurückziehen",
    ownersWithdraw:
      "Nur wer die App besitzt, kann diese Änderungen zurückziehen, denn sie enthalten Redirect-URIs. Die anderen Teile können Sie in den Formularen unten zurücksetzen.",
    narrowed: html`<strong>Ein Administrator hat die App eingeschränkt.</strong> Von den Scopes, die Sie angeben, kann
      sie diese benutzen, auch mit Tokens, die schon ausgestellt sind:`,
    narrowedToNone: "keine",
    submit: "App zur Prüfung einreichen",
    standing: {
      sandbox: {
        title: "In der Sandbox",
        text: "Außer Testpersonen kann nur ihr Inhaber die App verbinden: die Person, auf deren Namen sie registriert ist. Reichen Sie sie ein, wenn sie fertig ist: Ein Prüfer sieht sich Name, Beschreibung, Webseite, Logo und Scopes an. Zwecke werden einzeln geprüft."
      },
      in_review: {
        title: "In Prüfung",
        text: "Ein Prüfer sieht sich die App an. Sie bekommen eine E-Mail mit der Entscheidung. Bis dahin kann außer Testpersonen nur ihr Inhaber sie verbinden, und Sie können keine Scopes hinzufügen."
      },
      production: {
        title: "In Produktion",
        text: "Alle können die App verbinden. Sie können sie jederzeit ändern. Ein neuer Name, eine neue Beschreibung, Webseite, ein neues Logo, ein neuer Scope oder eine Redirect-URI auf einem neuen Host warten auf die Prüfung; bis dahin gilt die genehmigte Fassung."
      }
    },
    cannotBeChanged: (reason) => html`können so nicht geändert werden: ${reason}`,
    cannotBeRegistered: (reason) => html`können nicht registriert werden: ${reason}`,
    inLine: (line, fault) => html`in Zeile ${line} ${fault}`,
    redirectsWait: "Wir schicken niemanden dorthin, bis ein Prüfer es genehmigt."
  },
  logo: {
    titleOf: (app) => `Logo von ${app}`,
    heading: "Logo",
    lead: "Personen sehen es neben dem Namen der App, wenn sie um Erlaubnis gebeten werden.",
    newWaits: "Ein neues Logo wartet auf die Prüfung; bis dahin sehen Personen das gültige.",
    present: "Das jetzige Logo",
    newLogo: "Ein neues Logo",
    hint: (from, to, kib) =>
      `Eine PNG-Datei: quadratisch, ${from} bis ${to} Pixel breit, höchstens ${kib} KiB, nicht animiert.`,
    upload: "Hochladen",
    removeText:
      "Ohne Logo sehen Personen von nun an nur den Namen. Um das rückgängig zu machen, laden Sie das Logo wieder hoch.",
    remove: "Logo entfernen",
    choose: "wählen Sie eins",
    cannotBeUsed: "kann nicht benutzt werden",
    tooLarge: (kib) => `darf höchstens ${kib} KiB groß sein`
  },
  secrets: {
    heading: "Client-Secrets, die gelten",
    issued: (at) => html`Ausgestellt ${at}`,
    issuedUntil: (at, until) => html`Ausgestellt ${at}, endet ${until}`,
    newest: "Neuestes",
    endEarlierNow: "Die früheren Secrets jetzt beenden",
    endEarlierText:
      "Ein Server von Ihnen, der noch eins davon benutzt, kann von nun an keine Tokens bekommen oder erneuern. Das neueste Secret, Verbindungen und Access-Tokens bleiben. Das lässt sich nicht rückgängig machen.",
    endEarlier: "Frühere Secrets beenden",
    leaked: "Jemand anderes könnte das Secret haben",
    replaceText:
      "Sie bekommen ein neues Secret, und jedes andere endet sofort. Bis Ihre Server das neue haben, können sie keine Tokens bekommen oder erneuern. Verbindungen und Access-Tokens bleiben; ein Access-Token gilt höchstens eine Stunde. Das lässt sich nicht rückgängig machen.",
    replace: "Das Secret jetzt ersetzen",
    title: "Client-Secret",
    titleOf: (app) => `Client-Secret von ${app}`,
    shownOnce: "Das wird nur einmal gezeigt.",
    keep: "Bewahren Sie es auf Ihrem Server auf, nie in einer App, die Personen installieren.",
    secret: "Das Secret",
    kept: "Ich habe es aufbewahrt",
    earlierWorks: "Das Secret davor gilt noch 24 Stunden.",
    earlierEnded: "Jedes andere Secret der App ist beendet."
  },
  users: {
    title: (app) => `${app}: Personen`,
    lead: html`Alle, die die App verbunden haben, die neuesten zuerst, auch beendete Verbindungen. Sie kennen Personen
      an <code>sub</code>, die Ihre App bekommt, und an <code>external_user_id</code>, die sie gesendet hat.`,
    empty:
      "Noch niemand hat die App verbunden. Schicken Sie eine Person zur Adresse der Autorisierung, die unter „Übersicht“ steht.",
    newest: "Neueste",
    older: "Ältere",
    user: "Person",
    state: "Zustand",
    scopes: "Scopes",
    connected: "Verbunden",
    ends: "Endet",
    rules: "Regeln",
    ended: "Beendet",
    reasons: {
      user_disconnected: "Die Person hat die Verbindung beendet",
      app_revoked_token: "Ihre App hat die Verbindung beendet",
      admin_revoked: "Die App wurde widerrufen",
      expired: "Die Zeit, die die Person erlaubt hatte, war vorbei",
      refresh_token_reused: "Ein Refresh-Token wurde zweimal verwendet und ist vielleicht gestohlen",
      code_reused: "Ein Code wurde zweimal verwendet und ist vielleicht gestohlen"
    },
    lapsed: "Sensibles abgelaufen",
    live: "Aktiv",
    noScope: "Keine",
    notNow: "Jetzt nicht",
    endedAt: (at) => html`Beendet ${at}`,
    noEnd: "Kein Enddatum",
    sensitiveUntil: (at) => html`Sensibles bis ${at}`,
    sensitiveLapsed: (at) => html`Sensibles abgelaufen ${at}`,
    renewable: (lapsed, until) => html`Sensibles abgelaufen ${lapsed}, zu erneuern bis ${until}`
  },
  rules: {
    title: (app) => `${app}: Regeln einer Person`,
    heading: (sub) => html`Regeln von <code>${sub}</code>`,
    lead: html`Was die letzten Messungen des Handys mit jeder Regel gemacht haben, wie es
      <code>GET /v1/rules/…/evaluations</code> der App sagt. Im Zugriffsprotokoll der Person steht, dass Sie nachgesehen
      haben.`,
    empty: "Die App hat auf dieser Verbindung keine Regeln, die sie lesen darf.",
    oldest: "Älteste Regeln",
    newer: "Neuere Regeln",
    newest: (at, outcome, text) => html`Neueste Prüfung: ${at}, ${outcome}, ${text}.`,
    checks: (count) =>
      count === 0
        ? "Die Regel"
        : `Die Regel und ${count === 1 ? "ihre letzte Prüfung" : `ihre letzten ${number(count)} Prüfungen`}`,
    rule: "Regel",
    states: { active: "Aktiv", inactive: "Noch nicht offen", disabled: "Abgeschaltet", finished: "Zu Ende" },
    ownAddress: "eigene Adresse (veraltet)",
    paused: html`<strong>Die Person hat die App pausiert.</strong> Bis die Pause endet, löst keine Regel aus, und weder
      Sie noch die App können lesen, was die letzten Messungen bei einer Regel bewirkt haben.`,
    silentDisabled: "Solange die Regel abgeschaltet ist, steht hier nichts.",
    silentZone:
      "Noch keine Messung wurde geprüft, oder mehr als zwanzig Zonenregeln dieser Verbindung begannen innerhalb einer Stunde.",
    silentPlace: "Noch keine Messung wurde geprüft.",
    measured: "Gemessen",
    received: "Angekommen",
    decision: "Entscheidung",
    event: "Ereignis",
    outcomes: {
      seeded: "die erste klare Messung: löst nie aus",
      boundary: "zu nah am Rand, um zu entscheiden",
      no_change: "dieselbe Seite, kein Aufenthalt fällig",
      crossed: "eine Richtung, nach der die Regel nicht fragt",
      stale: "über 15 Minuten nach der Messung angekommen, oder gemessen, bevor die Regel begann",
      cooling_down: "weniger als 2 Minuten nach dem letzten Auslösen",
      settling: "Rand überquert: wartet settle_s auf einen Widerspruch",
      contradicted: "innerhalb von settle_s zurück: die Überquerung zählt nicht",
      outside_window: "außerhalb des Zeitfensters gemessen",
      late: "über einen Tag nach dem Ende des Zeitfensters angekommen",
      out_of_order: "älter als eine Messung, die schon geprüft ist",
      fired: "ein Ereignis wurde gesendet"
    }
  }
}

export const testPeople: typeof en.testPeople = {
  labels: {
    name: "Name",
    lat: "Breitengrad von Home",
    lon: "Längengrad von Home",
    scopes: "Scopes",
    trip: "Weg",
    place: "Ort",
    minutes: "Minuten",
    late_minutes: "Minuten zu spät",
    accuracy_m: "Genauigkeit in Metern",
    file: "Datei"
  },
  titleOf: (app) => `Testpersonen von ${app}`,
  lead: "Eine Testperson hat Orte, ein Handy und eine Verbindung mit Ihrer App. Sie schicken das Handy auf einen Weg, und alles dahinter ist echt: Regeln lösen aus, und Ihre Endpunkte bekommen signierte Webhooks.",
  empty: "Noch keine Testperson.",
  unavailable: (reason) => html`Die App kann keine Testpersonen haben: ${reason}.`,
  notInProduction:
    "Eine App in Produktion hat keine Testpersonen. Legen Sie zum Testen eine weitere App an: Sie beginnt in der Sandbox.",
  noMore: (most) => `Eine App kann ${most} Testpersonen haben. Entfernen Sie eine, um eine weitere anzulegen.`,
  add: "Testperson anlegen",
  addText:
    "Mit zwei Orten, Home und Work, die beide mit Ihrer App geteilt sind, und einer Verbindung für 90 Tage. Niemand kann sich als Testperson anmelden. Wenn Ihre App in Produktion geht, werden ihre Testpersonen entfernt.",
  nameHint: "Für Sie, um Testpersonen zu unterscheiden.",
  homeHint: "In Grad. Work liegt etwa 3 km östlich davon.",
  scopesHint: "Was die Person Ihrer App erlaubt. Ein sensibler Scope braucht einen Zweck der App.",
  make: "Testperson anlegen",
  cannotBeMade: (reason) => html`kann nicht angelegt werden: ${reason}`,
  made: "Angelegt",
  places: "Orte",
  ended: "Beendet",
  lastReading: "Neueste Messung",
  noReading: "Noch keine",
  trip: "Einen Weg simulieren",
  tripText:
    "Niemand muss warten: Die Messungen haben Zeiten in der Vergangenheit, und die letzte ist jetzt. Eine Messung, die mehr als 15 Minuten alt ist, löst keine Regel aus. Die Ankunft eines langen Aufenthalts löst also nichts aus, und sein Ende löst die Regeln über Aufenthalte aus.",
  kinds: {
    arrive: "Ankommen: von 500 m außerhalb bis zur Mitte",
    leave: "Weggehen: von der Mitte bis 500 m außerhalb",
    stay: "Bleiben: ankommen und bis jetzt bleiben"
  },
  minutesHint: "Wie lange ein Aufenthalt dauert: 5 bis 720. Die anderen Wege benutzen es nicht.",
  quality: "Späte oder ungenaue Messungen",
  lateHint:
    "Wie viele Minuten nach seinem Ende der Weg hochgeladen wird: 0 bis 1.440. Bei mehr als 15 löst keine Regel aus.",
  accuracyHint:
    "1 bis 10.000. Eine Messung entscheidet nichts, wenn sie ungenauer ist als ihr Abstand vom Rand des Ortes.",
  simulate: "Weg beginnen",
  log: "Eine Aufzeichnung senden",
  logText: (readings, mib) =>
    `Eine Datei mit aufgezeichneten Positionen (GPX, KML, GeoJSON, TCX, FIT, CSV, ein OwnTracks-Protokoll oder eine Google-Zeitachse) mit bis zu ${number(readings)} Messungen und ${mib} MiB. Sie wird zeitlich verschoben, sodass ihre letzte Messung jetzt ist.`,
  chooseLog: "muss erst gewählt werden",
  logTooLarge: (mib) => `darf höchstens ${mib} MiB groß sein`,
  sendLog: "Aufzeichnung senden",
  sent: (readings) => `Das Handy hat ${plural(readings, "Messung", "Messungen")} gesendet.`,
  began: (at) => html`Zeit der ersten: ${at}.`,
  stored: (accepted) => `Neu: ${number(accepted)}.`,
  toDeliveries: "Zu den Zustellungen",
  cannotTravel: (reason) => html`ist nicht möglich: ${reason}`,
  remove: "Diese Testperson entfernen",
  removeText: "Die Verbindung und ihre Tokens enden sofort, und alles von der Person wird gelöscht.",
  removeButton: "Testperson entfernen",
  madeTitle: "Ihre Testperson",
  shownOnce: "Die Tokens werden einmal gezeigt.",
  shownOnceText:
    "Sie sind das, was Ihre App nach einer echten Zustimmung bekäme. Wenn Sie sie verlieren, legen Sie eine weitere Person an.",
  accessToken: "Access-Token, für eine Stunde",
  refreshToken: "Refresh-Token",
  phoneToken: "Token des Handys",
  tryIt: "Ausprobieren",
  kept: "Ich habe sie aufbewahrt"
}
