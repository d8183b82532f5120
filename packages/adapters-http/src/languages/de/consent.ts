import { html } from "../../html/Html.js"
import type * as en from "../en/consent.js"
import { number, plural } from "./words.js"

export const consent: typeof en.consent = {
  titles: {
    new: (app) => `${app} verbinden`,
    change: (app) => `${app} ändern`,
    renew_sensitive: (app) => `${app} verlängern`
  },
  brokenLink: {
    title: "Dieser Link funktioniert nicht",
    text: "Die App, die Sie hierher geschickt hat, hat einen Fehler gemacht. Sie hat nichts erfahren.",
    forDeveloper: "Für den Entwickler der App"
  },
  refusals: {
    unknown: { title: "Diese Anfrage gibt es nicht", text: "Gehen Sie zurück zur App, und beginnen Sie neu." },
    expired: {
      title: "Diese Seite ist zu alt",
      text: "Sie wurde vor mehr als einer Stunde geöffnet. Gehen Sie zurück zur App, und beginnen Sie neu."
    },
    decided: {
      title: "Sie haben schon entschieden",
      text: "Gehen Sie zurück zur App. Wenn sie noch einmal fragt, können Sie neu entscheiden."
    },
    sandbox: {
      title: "Diese App wird noch getestet",
      text: "Solange sie nicht in Produktion ist, kann nur ihr Inhaber sie verbinden: die Person, auf deren Namen sie registriert ist. Wenn Sie das sind, melden Sie sich mit diesem Konto an."
    },
    app_revoked: {
      title: "Diese App kann nicht verbunden werden",
      text: "Sie wurde dauerhaft geschlossen."
    },
    app_suspended: {
      title: "Diese App kann im Moment nicht verbunden werden",
      text: "Sie ist angehalten. Versuchen Sie es später noch einmal. Wenn Sie sie schon verbunden hatten, bleibt diese Verbindung bestehen."
    },
    outdated: {
      title: "Inzwischen hat sich etwas geändert",
      text: "Gehen Sie zurück zur App, und beginnen Sie neu."
    }
  },
  toFrontPage: "Zur Startseite",
  signedInAs: (email) => `Sie sind als ${email} angemeldet.`,
  switchAccount: "Anderes Konto verwenden",
  confirmFirst: {
    title: "Bestätigen Sie zuerst Ihre E-Mail-Adresse",
    text: (email) =>
      `Sie sind als ${email} angemeldet. Bevor Sie eine App verbinden können, müssen wir wissen, dass diese Adresse Ihnen gehört: Dorthin schreiben wir über alles, was Apps tun.`,
    mail: "Link schicken",
    thenBack: "Kommen Sie dann innerhalb einer Stunde auf diese Seite zurück.",
    goOn: "Ich habe sie bestätigt: weiter"
  },
  labels: {
    decision: "Ihre Entscheidung",
    scope: "Was die App darf",
    place: "Die Orte",
    earlier: "Frühere Besuche",
    standard_days: "Wie lange",
    sensitive_days: "Wie lange für den genauen Standort",
    label: "Name des neuen Ortes",
    kind: "Art des neuen Ortes",
    lat: "Breitengrad",
    lon: "Längengrad",
    radius_m: "Radius"
  },
  headings: {
    connect: (app) => `${app} verbinden?`,
    change: (app) => `Ändern, was ${app} darf?`,
    renew: (app) => `Soll ${app} weiter Ihren genauen Standort verwenden?`
  },
  changedMeanwhile: "Seit Sie diese Seite geöffnet haben, hat sich etwas geändert. Bitte lesen Sie sie noch einmal.",
  who: {
    label: "Wer fragt",
    from: (developer) => `Von ${developer}.`,
    fromWithPage: (developer, address) =>
      html`Von ${developer} (<a href="${address}" rel="noopener noreferrer" target="_blank">Webseite</a>).`,
    goBack: (origin) => html`Danach kommen Sie zurück zu <code>${origin}</code>.`,
    connectedSince: (at) => html`Verbunden seit: ${at}.`,
    account: (name, email) => `Ihr Konto: ${name}${email === null ? "" : ` (${email})`}.`
  },
  sandbox: "Sandbox: Nur ihr Inhaber kann sie verbinden",
  inReview: "In Prüfung: Nur ihr Inhaber kann sie verbinden",
  readers: {
    one: (name) => `${name} arbeitet auch an dieser App und kann lesen, was Sie freigeben.`,
    more: (name, others, team) =>
      html`${name} und
        <a href="${team}" target="_blank" rel="noopener">${plural(others, "weitere Person", "weitere Personen")}</a>
        arbeiten auch an dieser App und können lesen, was Sie freigeben.`
  },
  noPhone: (devices) =>
    html`<strong>Noch kein Handy hat Ihren Standort gesendet.</strong> Sie können trotzdem entscheiden; bis eines
      sendet, erfährt die App nicht, wo Sie sind. Importierten Standortverlauf kann sie lesen, soweit Sie es erlauben.
      <a href="${devices}" target="_blank" rel="noopener">Richten Sie Ihr Handy</a> in einem neuen Tab ein: Diese Seite
      bleibt eine Stunde lang gültig. Auch die E-Mail, die auf „Erlauben“ folgt, führt dorthin.`,
  pauseStays: (connections) =>
    html`Wenn Sie hier etwas erlauben, bleibt die Pause: Die App erfährt nicht, wo Sie sind oder waren, bis die Pause
      endet. Sie können die Pause unter
      <a href="${connections}" target="_blank" rel="noopener">Verbundene Apps</a> beenden, in einem neuen Tab.`,
  length: (days) => (days === "never" ? "Kein Enddatum" : plural(days, "Tag", "Tage")),
  ends: (at) => html`Endet: ${at}`,
  untilDisconnected: "Bis Sie die App trennen",
  takeBack: (connections, accessLog) =>
    html`Sie können alles jederzeit zurücknehmen, unter
      <a href="${connections}" target="_blank" rel="noopener">Verbundene Apps</a>. Ihr
      <a href="${accessLog}" target="_blank" rel="noopener">Zugriffsprotokoll</a> zeigt jede Abfrage.`,
  cancelChangesNothing: "Wenn Sie abbrechen, ändert sich nichts.",
  cancel: "Abbrechen",
  allow: "Erlauben",
  scopes: {
    heading: "Was die App darf",
    standard: "Über die Orte, die Sie freigeben",
    areas: "Über Bereiche, die die App wählt",
    areasHint:
      "Diese Bereiche legt die App selbst fest. Sie können überall liegen, auch um Orte, die Sie nicht ankreuzen.",
    sensitive: "Ihr genauer Standort",
    sensitiveHint:
      "Das zeigt, wo Sie auf der Karte sind, nicht nur, an welchem Ihrer Orte. Wofür die App ihn nach eigenen Angaben braucht:",
    asNow: "Wie jetzt",
    ended: "Beendet",
    new: "Neu"
  },
  leaving: {
    heading: "Nicht mehr verlangt",
    text: "Das darf die App jetzt. Wenn Sie den Rest erlauben, darf sie es nicht mehr:",
    badge: "Wird entfernt"
  },
  durations: {
    heading: "Bis wann",
    connection: "Die Verbindung als Ganzes",
    connectionEnds: (at) => html`Bisheriges Ende der Verbindung: ${at}.`,
    connectionHasNoEnd: "Bisher hat die Verbindung kein Enddatum.",
    sensitive: "Ihr genauer Standort",
    sensitiveEnds: (at) => html`Bisheriges Ende des genauen Standorts: ${at}.`,
    sensitiveEnded: (at) => html`Der genaue Standort endete: ${at}.`,
    sensitiveHint: "Gilt nur, wenn Sie ihn oben erlauben. Der Rest der Verbindung besteht danach weiter."
  },
  places: {
    heading: "Nach welchen Orten sie fragen darf",
    added: (place) => `${place} ist hinzugefügt und angekreuzt. Noch ist nichts freigegeben.`,
    none: "Sie haben noch keine Orte. Fügen Sie hier einen hinzu, oder geben Sie später welche frei.",
    legend: "Ihre Orte",
    hint: "Über die Orte, die Sie nicht ankreuzen, erfährt die App nichts.",
    hintByName: "Die Namen der Orte, die Sie nicht ankreuzen, bekommt die App nicht.",
    earlier: (place) => `Auch frühere Besuche freigeben: ${place}`,
    lookup:
      "Für jeden Zeitpunkt in der Vergangenheit kann die App fragen, an welchem angekreuzten Ort Sie waren, auch wenn Sie frühere Besuche nicht freigeben.",
    find: "Ort suchen",
    tickAll: "Alle ankreuzen",
    untickAll: "Keinen ankreuzen",
    add: "Ort hinzufügen",
    addThis: "Diesen Ort hinzufügen",
    cannotBeAdded: (reason) => html`kann nicht hinzugefügt werden: ${reason}`
  },
  renewal: {
    what: "Was Sie verlängern",
    noPurpose: (app) => `${app} darf das für keinen Zweck mehr verwenden, deshalb können Sie es nicht verlängern:`,
    length: "Ihr genauer Standort, von jetzt an gezählt",
    notNow: "Jetzt nicht",
    stop: "Nicht mehr weitergeben",
    renew: "Verlängern",
    uses: {
      heading: "Wofür er verwendet wurde",
      none: (app) => `${app} hat Ihren genauen Standort in den letzten 90 Tagen nicht verwendet.`,
      howOften: (app, since) =>
        html`So oft hat ${app} ihn in den letzten 90 Tagen abgefragt und eine Antwort bekommen (Beginn: ${since}):`,
      times: (count) => (count === 0 ? "Nie" : `${number(count)} Mal`),
      log: "Jede Abfrage im Zugriffsprotokoll ansehen"
    },
    stays: {
      heading: "Was so bleibt, wie es ist",
      badge: "Keine Frage",
      canAlso: "Sie darf auch",
      nothingElse: "Sonst nichts",
      places: "Orte",
      noPlaces: "Keine",
      connection: "Die Verbindung",
      rules: "Ihre Regeln",
      rulesGoOn: "Gelten weiter"
    },
    consequences: {
      nothingChanges: "Es ändert sich nichts.",
      hasNotHad: (since) => html`Die App hat Ihren genauen Standort nicht mehr. Er endete: ${since}.`,
      hasUntil: (until) => html`Die App hat Ihren genauen Standort weiter. Er endet: ${until}.`,
      losesIt: "Die App bekommt Ihren genauen Standort ab sofort nicht mehr.",
      doesNotGetItBack: "Die App bekommt ihn nicht zurück, außer sie fragt noch einmal und Sie erlauben es.",
      isDisconnected: "Sonst ist nichts für sie freigegeben, deshalb wird sie getrennt.",
      restGoesOn: "Der Rest der Verbindung besteht weiter.",
      renewed: "Die App hat Ihren genauen Standort bis zu dem Datum, das Sie wählen.",
      renewedAgain: "Die App hat Ihren genauen Standort wieder, bis zu dem Datum, das Sie wählen."
    }
  },
  lengthInSummary: (days) => (days === "never" ? "kein Enddatum" : plural(days, "Tag", "Tage")),
  script: {
    nothing: "Noch nichts angekreuzt",
    permission: "1 Berechtigung",
    permissions: "{count} Berechtigungen",
    noPlaces: "keine Orte",
    learnsNothing: "keine Orte: Die App erfährt noch nicht, wo Sie sind",
    place: "1 Ort",
    places: "{count} Orte",
    pastVisits: "frühere Besuche",
    exactLocation: "genauer Standort {length}",
    found: "{count} von {all} Orten, angekreuzte mitgezählt"
  }
}
