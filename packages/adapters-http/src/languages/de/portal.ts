import { html } from "../../html/Html.js"
import type * as en from "../en/portal.js"
import { imports } from "./timeline.js"
import { minutesAndSeconds, number, plural } from "./words.js"

export const portal: typeof en.portal = {
  connections: {
    title: "Verbundene Apps",
    lead: "Diese Apps können Abfragen über Sie stellen. Sie können jede davon jederzeit pausieren, ändern und trennen.",
    none: "Keine App ist verbunden. Verbindungen beginnen in der App: Sie schickt Sie hierher, um zu entscheiden.",
    ended: "Beendet",
    endedForSafety: "Zu Ihrer Sicherheit beendet",
    details: "Einzelheiten",
    requests: "Abfragen der App",
    open: "Einzelheiten ansehen oder trennen",
    nothing: "Nichts",
    notNow: "Zurzeit nicht",
    sandbox: "Sandbox",
    onHold: "Ruht",
    onHoldText: "Dieser Dienst lässt die App für alle ruhen: Sie bekommt zurzeit keine Antworten und keine Ereignisse.",
    reasons: {
      user_disconnected: "Sie haben die App getrennt",
      app_revoked_token: "die App hat die Verbindung beendet",
      admin_revoked: "die App wurde dauerhaft geschlossen",
      expired: "die Zeit, die Sie erlaubt hatten, war vorbei",
      refresh_token_reused: "ein Token der App wurde zweimal verwendet und ist vielleicht gestohlen",
      code_reused: "ein Code der App wurde zweimal verwendet und ist vielleicht gestohlen"
    },
    facts: {
      can: "Darf",
      now: "Zurzeit",
      connected: "Verbunden",
      ended: "Beendet",
      endedAt: (at, reason) => html`${at}: ${reason}`,
      ends: "Endet",
      onDisconnect: "Wenn Sie die App trennen",
      lastUsed: "Zuletzt verwendet",
      never: "Nie",
      canAskAbout: "Darf fragen nach",
      couldAskAbout: "Durfte fragen nach",
      noPlace: "Keinem Ihrer Orte",
      archived: (place) => `${place} (archiviert, nur frühere Besuche)`,
      areas: "Bereichen, die sie wählt",
      onlyAreas: "Bereichen, die sie wählt",
      exactLocation: "Genauer Standort",
      exactUntil: (at) => html`Bis ${at}`,
      exactEnded: (at) => html`Beendet: ${at}`,
      exactInGrace: (at, until) => html`Beendet: ${at}; die App darf Sie bitten, ihn wieder freizugeben, bis ${until}`
    }
  },
  connection: {
    about: "Diese Verbindung",
    disconnect: (app) => `${app} trennen`,
    webPage: "Webseite",
    history: "Was Sie erlaubt haben und wann",
    can: "Was die App darf",
    could: "Was die App durfte",
    noPhone: {
      text: html`<strong>Zurzeit sendet kein Handy Ihren Standort.</strong> Bis eines sendet, erfährt die App keinen
        neuen Standort. Gespeicherten Standortverlauf kann sie lesen, soweit Sie es erlaubt haben.`,
      setUp: "Handy einrichten"
    },
    used: {
      heading: "Wie oft die App gefragt hat",
      lead: (since) => html`Die Antworten, die sie in den letzten 90 Tagen bekommen hat (Beginn: ${since}):`,
      never: "Kein Mal",
      times: (count) => `${number(count)} Mal`,
      places: "Ohne Ihren genauen Standort",
      exact: (purpose) => `Ihr genauer Standort: ${purpose}`,
      log: "Alle Abfragen im Zugriffsprotokoll ansehen"
    },
    consequences: {
      asks: (app) => `Von da an kann ${app} nichts mehr abfragen, und wir senden der App nichts mehr.`,
      rules: "Die Regeln der App enden dauerhaft.",
      places: "Sie geben keinen Ort mehr für sie frei.",
      kept: "Die App behält, was sie vorher erfahren hat. Ihr Zugriffsprotokoll behält die Abfragen der App.",
      undo: "Um das rückgängig zu machen, verbinden Sie die App noch einmal, von der App aus. Sie entscheiden dann alles neu."
    },
    places: {
      heading: "Orte, nach denen sie fragen darf",
      field: "Die Orte",
      none: (page) => html`Sie haben keine Orte. <a href="${page}">Legen Sie einen an</a>, um ihn freizugeben.`,
      allArchived: (page) =>
        html`Alle Ihre Orte sind archiviert. <a href="${page}">Legen Sie einen neuen an</a>, um ihn freizugeben.`,
      legend: "Freigegebene Orte",
      earlier: (place) => `Auch Besuche aus der Zeit vor der Freigabe: ${place}`,
      save: "Orte speichern"
    },
    rules: {
      heading: "Benachrichtigungen der App",
      none: "Zurzeit nichts.",
      why: "Warum sie benachrichtigt wurde oder nicht",
      remove: "Diese Regel entfernen",
      removed: (app) =>
        `Diese Regel benachrichtigt ${app} dann nicht mehr. Sie können die Regel nicht zurückholen; ${app} kann eine neue anlegen.`,
      oldest: "Älteste Regeln",
      more: "Weitere Regeln"
    },
    addresses: {
      heading: "Adressen, die die App für Benachrichtigungen genannt hat",
      lead: (app) =>
        `${app} hat diese Adressen selbst genannt. Was ihre Regeln über Sie melden, geht auch dorthin, außer bei Regeln mit einer eigenen Adresse.`,
      since: (host, at) => html`${host} (genannt: ${at})`,
      remove: "Diese Adresse entfernen",
      removed: (app) =>
        `An diese Adresse wird dann nichts mehr gesendet. Sie können die Adresse nicht zurückholen; ${app} kann sie wieder nennen.`
    }
  },
  reloading: {
    stop: "Nicht neu laden",
    stopped: "Diese Seite lädt sich nicht selbst neu.",
    start: "Von selbst neu laden"
  },
  exports: {
    title: "Ihre Daten mitnehmen",
    lead: "Laden Sie eine Datei mit allem herunter, was dieser Dienst über Sie hat.",
    elsewhere: (page) =>
      html`Um ein Archiv in ein anderes Konto zu bringen, melden Sie sich dort an und
        <a href="${page}">importieren Sie die Datei</a>. Ihre Orte und Ihre Standorte kommen zurück. Apps nicht: Sie
        haben ihnen in diesem Konto etwas erlaubt, und nur Sie können es im anderen wieder erlauben.`,
    ask: {
      text: (isMailed) =>
        isMailed
          ? "Wir erstellen das Archiv im Hintergrund; das dauert Sekunden bis Minuten. Wir schicken Ihnen eine E-Mail, wenn es fertig ist. Sie können es 7 Tage lang herunterladen; dann löschen wir es."
          : "Wir erstellen das Archiv im Hintergrund; das dauert Sekunden bis Minuten. Sie können es hier 7 Tage lang herunterladen; dann löschen wir es.",
      button: "Archiv erstellen"
    },
    open: {
      heading: "Ihr Archiv wird erstellt",
      made: (percent) => `${percent} % fertig`,
      close: (isMailed) =>
        isMailed
          ? "Sie können diese Seite schließen: Wir schicken Ihnen eine E-Mail, wenn es fertig ist."
          : "Sie können diese Seite schließen und später zurückkommen.",
      reloads: (seconds) => `Bis dahin lädt sich diese Seite alle ${seconds} Sekunden neu.`,
      stop: "Abbrechen",
      stopHint: "Das Archiv wird dann nicht erstellt. Von Ihren Daten wird nichts gelöscht."
    },
    ready: {
      heading: "Ihr Archiv ist fertig",
      asOf: "Stand",
      size: "Größe",
      until: "Sie können es herunterladen bis",
      secret: "Die Datei zeigt, wo Sie überall waren. Bewahren Sie sie dort auf, wo sie niemand sonst lesen kann.",
      download: "Herunterladen",
      remove: "Dieses Archiv jetzt löschen",
      removeHint: "Ihre Daten bleiben. Sie können danach ein neueres Archiv erstellen lassen."
    },
    kib: (size) => `${size} KiB`,
    mib: (size) => `${size.toFixed(1).replace(".", ",")} MiB`,
    contents: {
      heading: "Was es enthält",
      own: "Ihr Konto, Ihre Orte und wie sie verschoben wurden, Ihre Handys",
      locations:
        "jeden Standort, den Ihre Handys gesendet haben, auch als GPX für Karten- und Sportprogramme; Ihre Besuche",
      apps: "die Apps, denen Sie etwas erlaubt haben, was Sie wann erlaubt haben, und die E-Mails dazu, die wir noch haben",
      log: "Ihr Zugriffsprotokoll, die Regeln Ihrer Apps und jedes Mal, dass eine Regel zutraf",
      format: html`Passwörter, Tokens oder Schlüssel sind nicht darin: Niemand kann sich damit anmelden. Es ist eine
        Zip-Datei mit JSON- und GPX-Dateien; <code>manifest.json</code> darin führt sie auf.`
    },
    earlier: "Frühere Archive",
    earlierOne: (at, state) => html`${at}: ${state}`,
    earlierFault: (at, state, fault) => html`${at}: ${state}. ${fault}`,
    states: {
      requested: "Wartet",
      making: "In Arbeit",
      ready: "Fertig",
      failed: "Konnte nicht erstellt werden",
      expired: "Nach 7 Tagen gelöscht",
      deleted: "Gelöscht"
    }
  },
  imports
}

export const places: typeof en.places = {
  title: "Orte",
  lead: "Ein Ort ist ein Kreis auf der Karte mit einem Namen. Apps erfahren nur, was Sie erlauben.",
  none: "Sie haben noch keine Orte. Legen Sie unten den ersten an.",
  allArchived: "Alle Ihre Orte sind archiviert. Legen Sie unten einen neuen an.",
  kinds: {
    home: "Zuhause",
    work: "Arbeit",
    school: "Schule",
    gym: "Fitnessstudio",
    shop: "Geschäft",
    restaurant: "Restaurant",
    transit: "Bahn und Bus",
    health: "Gesundheit",
    other: "Anderes"
  },
  add: { heading: "Ort hinzufügen", button: "Ort hinzufügen" },
  noMore: (most) => `Sie können ${most} Orte haben. Archivieren Sie einen, um einen anderen hinzuzufügen.`,
  archived: "Archiviert",
  archivedPlace: (kind, at) => html`(${kind}, archiviert: ${at})`,
  sharedWith: "Freigegeben für",
  noApp: "Keine App",
  lastThere: "Zuletzt dort",
  notLately: "Nicht unter Ihren letzten 100 Besuchen",
  never: "Noch kein Besuch",
  since: (at) => html`Seit: ${at}`,
  near: "In der Nähe von",
  centre: "Mittelpunkt",
  radius: "Radius",
  change: "Ändern",
  archive: {
    button: (place) => `${place} archivieren`,
    text: "Apps können dann nicht mehr fragen, ob Sie dort sind, und ihre Regeln für den Ort enden dauerhaft. Apps, für die er freigegeben ist, können frühere Besuche dort weiterhin sehen, soweit Sie es erlaubt haben, bis Sie diese Apps trennen. Frühere Besuche behalten den Namen des Ortes. Das lässt sich nicht rückgängig machen."
  },
  refused: (reason) => html`kann nicht hinzugefügt werden: ${reason}`,
  edit: {
    title: (place) => `${place} ändern`,
    hint: "Ein neuer Name gilt überall, auch für frühere Besuche. Wenn Sie den Ort verschieben oder seine Größe ändern, beginnen die Regeln dafür neu, mit dem nächsten Standort Ihres Handys.",
    save: "Speichern"
  }
}

export const accessLog: typeof en.accessLog = {
  title: "Zugriffsprotokoll",
  lead: "Jede Abfrage jeder App über Sie und alles, was Apps mitgeteilt werden sollte, das Neueste zuerst. Jeder Eintrag wird geschrieben, bevor die App ihre Antwort bekommt. Wiederholungen stehen in einer Zeile.",
  filter: {
    app: "App",
    allApps: "Alle Apps",
    purpose: "Zweck",
    allPurposes: "Alle Zwecke",
    from: "Von",
    to: "Bis",
    show: "Anzeigen"
  },
  notOfList: "muss aus der Liste sein",
  nothingHere: "Hier hat keine App etwas abgefragt.",
  nothingYet: "Noch hat keine App etwas abgefragt.",
  newest: "Neueste",
  older: "Ältere",
  download: "Als Tabelle herunterladen (CSV)",
  showEverything: "Alles anzeigen",
  showDetails: "Technische Einzelheiten anzeigen",
  hideDetails: "Technische Einzelheiten ausblenden",
  fileHas: (most) => `Die Datei enthält davon die neuesten ${number(most)} Einträge.`,
  flagged: {
    heading: (app) => `${app} hat ungewöhnlich oft gefragt`,
    text: (calls, from, to, purpose, expected) =>
      html`${number(calls)} Mal für ${purpose === null ? "einen Zweck, den es nicht mehr gibt" : `„${purpose}“`},
      zwischen ${from} und ${to}. Angekündigt waren höchstens ${number(expected)} am Tag. Die Betreiber dieses Dienstes
      sehen sich das an. Wenn Sie es nicht möchten, trennen Sie die App.`
  },
  entries: (count) => plural(count, "Eintrag", "Einträge"),
  columns: { when: "Wann", request: "Abfrage", learned: "Was die App erfahren hat", purpose: "Zweck" },
  learned: "Erfahren",
  span: (first, last) => html`${first} bis<br />${last}`,
  withinAnHour: "innerhalb einer Stunde",
  nothing: "Nichts über Sie",
  refused: (request, result) => html`${request}: ${result}`,
  results: {
    Answered: "beantwortet",
    Refused: "abgelehnt",
    Withheld: "zurückgehalten",
    "Not answered": "nicht beantwortet"
  },
  strips: {
    heading: (days) => `Die letzten ${number(days)} Tage`,
    bar: (app, day, requests) => html`${app}, ${day}: ${number(requests)}`,
    hint: "Wählen Sie einen Balken, um zu sehen, was die App an diesem Tag abgefragt hat."
  },
  file: [
    "Zeit (UTC)",
    "App",
    "Abfrage",
    "Was die App getan hat",
    "Zweck",
    "Ergebnis",
    "Code",
    "Was die App erfahren hat",
    "Anzahl"
  ]
}

export const rules: typeof en.rules = {
  title: (app) => `Eine Regel von ${app}`,
  heading: (app) => `Benachrichtigungen für ${app}`,
  readings: "Die letzten Messungen Ihres Handys",
  explained: (app, log) =>
    html`Was jede Messung an dieser Regel bewirkt hat; die zuletzt angekommene steht oben. ${app} kann diese Liste auch
      lesen, aber nie, wo Sie waren. Die Benachrichtigungen, die ${app} bekommen hat, stehen in
      <a href="${log}">Ihrem Zugriffsprotokoll</a>.`,
  none: "Diese Regel hat noch keine Messung geprüft.",
  measured: "Gemessen",
  did: "Was sie bewirkt hat",
  span: (first, last) => html`${first} bis<br />${last}`,
  states: { inactive: "Noch nicht", disabled: "Zurzeit nicht", finished: "Vorbei" },
  condition: {
    enter: (place) => html`Wenn Sie ankommen: ${place}`,
    exit: (place) => html`Wenn Sie weggehen: ${place}`,
    dwell: (place, minutes) => html`Wenn Sie ${number(minutes)} Minuten bleiben: ${place}`
  },
  settles: (condition, seconds) =>
    html`${condition} (${plural(seconds, "Sekunde", "Sekunden")} später, außer die Position war falsch)`,
  silent: (condition, seconds) =>
    html`${condition} (oder ${minutesAndSeconds(seconds)} später, wenn Ihr Handy zuletzt dort war und nichts sendet)`,
  area: (name, app, radiusM, at) => html`${name}, ein Bereich, den ${app} gewählt hat: ${number(radiusM)} m um ${at}`,
  nearTown: (at, town) => `${at} (bei ${town})`,
  window: (condition, from, until) =>
    html`${condition}${from !== null && html`, ab ${from}`}${until !== null && html`, bis ${until}`}`,
  sentOnlyTo: (rule, host) => html`${rule} (geht nur an ${host})`,
  happened: {
    enter: "Sie kamen an",
    exit: "Sie gingen weg",
    dwell: (minutes) => `Sie waren ${number(minutes)} Minuten geblieben`
  },
  outcomes: {
    seeded: "Die erste eindeutige Messung: Sie zeigt nur, wo Sie anfangs sind.",
    boundary: "Zu nah am Rand, um zu entscheiden, ob Sie dort waren.",
    outsideWindow: "Außerhalb der Zeit, für die die Regel gilt.",
    late: "Ihr Handy hat sie mehr als einen Tag nach dem Ende der Regel gesendet: nicht beachtet.",
    outOfOrder: "Älter als eine Messung, die schon geprüft war: nicht beachtet.",
    noChange: {
      enter: "Keine Änderung.",
      exit: "Keine Änderung.",
      dwell: "Keine Änderung, oder noch nicht lange genug."
    },
    crossed: {
      enter: (app) => `Sie gingen weg, worauf diese Regel nicht achtet. ${app} bekam keine Benachrichtigung.`,
      exit: (app) => `Sie kamen an, worauf diese Regel nicht achtet. ${app} bekam keine Benachrichtigung.`,
      dwell: (app) =>
        `Sie kamen an oder gingen weg; diese Regel achtet nur auf Aufenthalte. ${app} bekam keine Benachrichtigung.`
    },
    beforeRule: (happened, app) => html`${happened}, bevor diese Regel begann: ${app} bekam keine Benachrichtigung.`,
    sentLate: (happened, later, app) =>
      html`${happened}, aber Ihr Handy hat es ${later} später gesendet: ${app} bekam keine Benachrichtigung.`,
    coolingDown: (happened, app) =>
      html`${happened}, weniger als 2 Minuten nach dem letzten Mal: ${app} bekam keine zweite Benachrichtigung.`,
    settling: (happened, seconds, app) =>
      html`${happened}: ${app} bekommt eine Benachrichtigung, wenn keine Messung der nächsten
      ${seconds === 1 ? "Sekunde" : `${number(seconds)} Sekunden`} etwas anderes zeigt.`,
    contradicted: (app) =>
      `Wieder dort, wo Sie vorher waren: Die letzte Überquerung war wohl eine falsche Position. ${app} bekam keine Benachrichtigung.`,
    fired: (happened, app) => html`${happened}: Wir haben eine Benachrichtigung für ${app} vorbereitet.`
  },
  later: {
    minutes: (count) => `${number(count)} Minuten`,
    hours: (count) => `${number(count)} Stunden`,
    days: (count) => `${number(count)} Tage`
  },
  legend: {
    inside: "innerhalb",
    outside: "außerhalb",
    fired: "benachrichtigt",
    late: "zu spät für eine Benachrichtigung",
    edge: "zu nah am Rand",
    cooled: "weniger als 2 Minuten nach dem letzten Mal"
  }
}
