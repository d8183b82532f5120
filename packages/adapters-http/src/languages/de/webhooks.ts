import { html } from "../../html/Html.js"
import type * as en from "../en/webhooks.js"
import { number, plural } from "./words.js"

export const webhooks: typeof en.webhooks = {
  labels: { url: "Adresse", events: "Ereignisse", description: "Beschreibung" },
  hints: {
    url: "Eine https-Adresse auf einem öffentlichen Host. Wir senden Ereignisse signiert dorthin und folgen keiner Weiterleitung.",
    events: "Haken Sie keins an, um alle Ereignisse zu bekommen, auch Arten, die später hinzukommen.",
    description: "Nur Ihr Team sieht sie. Freiwillig."
  },
  eventWords: {
    "rule.fired":
      "Eine Person kam an einem Ort oder in einer Zone an, nach denen eine Ihrer Regeln fragt, ging von dort weg oder blieb.",
    "places.changed": "Eine Person hat einen Ort für Ihre App freigegeben oder nicht mehr. Lesen Sie die Orte neu.",
    "sensitive.expiring":
      "Die sensiblen Scopes einer Person enden in 14 Tagen, und noch einmal in 7. Bitten Sie die Person, zu erneuern.",
    "sensitive.lapsed":
      "Die sensiblen Scopes einer Person sind abgelaufen. 14 Tage lang bringt eine Bestätigung sie zurück.",
    "sensitive.removed": "Die 14 Tage sind um: Nur eine ganze Zustimmung bringt die sensiblen Scopes zurück."
  },
  sampleOf: (name) => `Ein Beispiel für ${name}`,
  sampleTypes: (types) => `\`type\` ist eins von ${types}.`,
  headers: {
    heading: "Eigene Kopfzeilen",
    name: "Kopfzeile, die hinzukommt oder ersetzt wird",
    value: "Ihr Wert",
    hint: (most) =>
      `Freiwillig, höchstens ${most}: zum Beispiel für ein Gateway, das einen Schlüssel verlangt. Wir speichern den Wert verschlüsselt und zeigen ihn nie wieder. Unsere eigenen Kopfzeilen (Host, Content-Type, User-Agent, X-Service-…) lassen sich nicht ersetzen.`,
    moved:
      "Wenn die Adresse auf einen anderen Server wechselt (anderes Schema, anderer Host oder Port), setzen Sie jede Kopfzeile neu oder entfernen Sie sie. So kann niemand einen gespeicherten Wert an einen Server senden lassen, für den er nicht gedacht war. Mit diesem Formular setzen Sie immer nur eine Kopfzeile: Entfernen Sie die anderen, und fügen Sie sie danach wieder hinzu.",
    remove: (name) => html`${name} entfernen`
  },
  titleOf: (app) => `Webhooks von ${app}`,
  empty:
    "Noch kein Endpunkt. Ereignisse gehen an Abonnements und importierte Regeln mit eigener Adresse, wenn Ihre App welche hat.",
  add: "Endpunkt hinzufügen",
  addEndpoint: "Endpunkt hinzufügen",
  revoked:
    "Die App ist widerrufen: Kein Endpunkt kann hinzugefügt oder geändert werden, und keiner bekommt einen neuen Signaturschlüssel.",
  noMore: (most) => `Eine App kann ${most} Endpunkte haben. Entfernen Sie einen, um einen anderen hinzuzufügen.`,
  cannotBeAdded: (reason) => html`kann nicht hinzugefügt werden: ${reason}`,
  local: {
    heading: "Auf Ihrem eigenen Rechner",
    text: "Solange das läuft, bekommt ein Programm ohne öffentliche Adresse dieselben Ereignisse, aus einer Kopie des Codes dieses Dienstes. Es fragt nach Ihrem Passwort."
  },
  endpoint: {
    description: "Beschreibung",
    events: "Ereignisse",
    allEvents: "Alle",
    id: "Kennung",
    failures: "Fehlschläge",
    enable: "Einschalten",
    testType: "Ereignis des Tests",
    testHint: html`Signiert wie ein echtes Ereignis. Alle außer <code>ping</code> haben erfundene IDs und
      <code>"sample": true</code> im Body.`,
    test: "Test senden",
    change: "Ändern",
    changeOf: (url) => `${url} ändern`,
    deliveries: "Zustellungen",
    deliveriesOf: (url) => `Zustellungen an ${url}`,
    newSecret: "Neuer Signaturschlüssel",
    earlierSigns: (until) =>
      html`Ein früherer Schlüssel signiert auch noch, bis ${until}. Wenn Sie ihn beenden, tragen Zustellungen innerhalb
      von 30 Sekunden nur noch die neueste Signatur. Ein Empfänger, der noch eine frühere prüft, weist sie ab, und wir
      versuchen sie wieder. Das lässt sich nicht rückgängig machen.`,
    endEarlier: "Die früheren Schlüssel jetzt beenden",
    rotateText: "Der alte Schlüssel gilt noch 24 Stunden: So lange trägt jede Zustellung beide Signaturen.",
    rotate: "Neuen Schlüssel ausstellen",
    replaceText:
      "Wenn jemand anderes den Schlüssel haben könnte, beenden Sie ihn sofort. Innerhalb von 30 Sekunden werden alle Zustellungen, auch die, die warten, nur noch mit dem neuen signiert: Bis Ihr Empfänger ihn hat, weist er sie ab, und wir versuchen sie wieder. Das lässt sich nicht rückgängig machen.",
    replace: "Den Schlüssel jetzt ersetzen",
    recover: "Fehlgeschlagenes noch einmal senden",
    recoverText:
      "Sendet die fehlgeschlagenen Ereignisse seit einem Tag, die noch nicht noch einmal gesendet wurden, das älteste zuerst, auch wenn ihr letzter Versuch erst später fehlschlug. Wählen Sie den Tag, an dem Ihr Empfänger ausfiel: Ein Ereignis schlägt etwa einen Tag, nachdem es geschah, endgültig fehl. Ausgelassen werden Ereignisse, für die Ihre App nicht berechtigt war. Ein Ereignis, dessen Regel eine andere Adresse nennt, wird nur einmal wieder gesendet, und schlägt wieder fehl, solange der Endpunkt nicht diese Adresse hat. Das zählt nie für oder gegen den Endpunkt.",
    recoverSince: "Ereignisse seit Beginn des Tages",
    recoverButton: "Noch einmal senden",
    remove: "Diesen Endpunkt entfernen",
    removeText: "Zustellungen, die auf diesen Endpunkt warten, schlagen fehl. Das lässt sich nicht rückgängig machen.",
    removeButton: "Endpunkt entfernen",
    tested: "Der Test wurde zugestellt.",
    notTested: "Der Test wurde nicht zugestellt."
  },
  figures: {
    heading: "Wie es den Zustellungen geht",
    day: "Letzte 24 Stunden",
    week: "Letzte 7 Tage",
    waiting: "Warten",
    orMore: "oder mehr",
    lastSuccess: "Letzter Erfolg",
    byHour: "Versuche nach Stunden, die letzten 24 Stunden",
    hour: "Stunde",
    attempts: "Versuche",
    failed: "Fehlgeschlagen",
    noAttempts: "Kein Versuch",
    summed: (percent, attempts, millis) =>
      `${percent.replace(".", ",")} % von ${plural(attempts, "Versuch", "Versuchen")} gelangen; 95 % dauerten höchstens ${number(millis)} ms`,
    summedLate: (percent, attempts, millis) =>
      `${percent.replace(".", ",")} % von ${plural(attempts, "Versuch", "Versuchen")} gelangen; mehr als 5 % dauerten länger als ${number(millis)} ms`,
    failing: (at) => html`Der letzte Versuch schlug fehl (${at}):`,
    succeeded: (at) => html`Der letzte Erfolg: ${at}.`,
    noSuccess: "Kein Versuch der letzten 7 Tage gelang.",
    hint: "Wiederholungen und erneut Gesendetes zählen, Tests nicht. Die Zahlen sind mindestens eine Sekunde alt."
  },
  edit: {
    titleOf: (app) => `Endpunkt von ${app}`,
    heading: "Endpunkt ändern",
    controls: "Test, Schlüssel, Zustellungen und Entfernen",
    text: (url) =>
      html`<code>${url}</code> behält seine Kennung und seinen Signaturschlüssel. Eine Regel, die diese Adresse nennt,
        folgt nicht zu einer anderen.`,
    save: "Speichern",
    cancel: "Abbrechen"
  },
  secret: {
    title: "Signaturschlüssel",
    shownOnce: html`<strong>Das wird nur einmal gezeigt.</strong> Damit prüft Ihre App, dass eine Zustellung von uns
      kam.`,
    secret: "Schlüssel",
    endpoint: "Endpunkt",
    header: "Kopfzeile",
    signed: "Signiert",
    signedText: html`<code>t + "." + body</code> mit HMAC-SHA256; der Text des Schlüssels ist der Schlüssel`,
    kept: "Ich habe ihn aufbewahrt"
  },
  strikes: {
    disabled: (at) => html`Abgeschaltet ${at}`,
    failing: "Fehlschläge",
    enabled: "Eingeschaltet",
    none: "Keine hintereinander",
    inARow: (strikes, most) => `${strikes} von ${most} hintereinander fehlgeschlagen`,
    failingText: (strikes, most, log) =>
      html`<strong>Hier kommen keine Ereignisse an.</strong> ${strikes} hintereinander sind bei jedem Versuch
        fehlgeschlagen; bei ${most} wird der Endpunkt abgeschaltet. Sehen Sie nach,
        <a href="${log}">was fehlgeschlagen ist</a>, und senden Sie einen Test, um zu sehen, was er jetzt antwortet.`,
    disabledText: (strikes, log) =>
      html`<strong
          >Abgeschaltet, weil ${strikes} Ereignisse hintereinander bei jedem Versuch fehlgeschlagen sind.</strong
        >
        Nichts wird hierher gesendet, und was wartete, ist fehlgeschlagen. Sehen Sie nach,
        <a href="${log}">was fehlgeschlagen ist</a>; senden Sie einen Test, und wenn er ankommt, schalten Sie den
        Endpunkt ein. Dann können Sie noch einmal senden, was fehlgeschlagen ist.`
  },
  deliveries: {
    titleOf: (app) => `Zustellungen von ${app}`,
    endpoint: "Endpunkt",
    outcome: "Ergebnis",
    event: "Ereignis",
    eventId: "Kennung des Ereignisses",
    from: "Von",
    to: "Bis",
    allEndpoints: "Alle Endpunkte",
    allOutcomes: "Alle Ergebnisse",
    reason: "Grund des Fehlschlags",
    allReasons: "Alle Gründe",
    status: "HTTP-Status oder none",
    notStatus: "muss eine Zahl wie 404 sein, oder none",
    allEvents: "Alle Ereignisse",
    show: "Anzeigen",
    nothingHere: "Hier wurde nichts gesendet.",
    nothingYet:
      "An einen Endpunkt wurde noch nichts gesendet. Abonnements und importierte Regeln stehen nicht in diesem Protokoll.",
    created: "Angelegt",
    response: "Antwort",
    sentAt: (at) => html`gesendet: ${at}`,
    newest: "Neueste",
    older: "Ältere",
    recovered: (count) =>
      count === 0
        ? "Es wurde nichts weiter eingereiht: Von den Ereignissen seit diesem Tag ist kein fehlgeschlagenes übrig, das noch einmal gesendet werden kann."
        : `${plural(count, "Zustellung", "Zustellungen")} eingereiht, die älteste zuerst.`,
    mayBeMore: "Es kann mehr geben: Drücken Sie „Fehlgeschlagenes noch einmal senden“ ein weiteres Mal.",
    notOfList: "muss aus der Liste sein",
    notEventId: "muss die Kennung eines Ereignisses sein",
    removedEndpoint: (id) => `${id} (entfernt)`
  },
  delivery: {
    titleOf: (event) => `Zustellung von ${event}`,
    refused: (reason) => html`${reason}.`,
    event: "Ereignis",
    happened: "Geschehen",
    endpoint: "Endpunkt",
    delivery: "Zustellung",
    attempts: "Versuche",
    noAttempts: "Noch keine.",
    noAttempt: "Keine.",
    tooOld: "Das Ereignis ist älter, als seine Regel erlaubt, also kann es nicht noch einmal gesendet werden.",
    revoked: "Die App ist widerrufen, also kann das Ereignis nicht noch einmal gesendet werden.",
    removed: "Der Endpunkt wurde entfernt, also kann das Ereignis nicht noch einmal gesendet werden.",
    disabled: (page) =>
      html`Der Endpunkt ist abgeschaltet. <a href="${page}">Schalten Sie ihn ein</a>, dann senden Sie das Ereignis noch
        einmal.`,
    retry: "Jetzt wieder versuchen",
    retryText:
      "Macht den nächsten Versuch jetzt. Das kostet keinen zusätzlichen Versuch und zählt nie für oder gegen den Endpunkt.",
    redeliver: "Noch einmal zustellen",
    redeliverText:
      "Sendet dasselbe Ereignis noch einmal an denselben Endpunkt. Das zählt nie für oder gegen den Endpunkt.",
    attempt: "Nr.",
    sent: "Gesendet",
    took: "Dauer",
    response: "Antwort",
    start: "Anfang der Antwort",
    startShort: "Anfang",
    millis: (count) => `${number(count)} ms`,
    exchangeOf: (attempt, at) => html`Anfrage und Antwort von Versuch ${attempt}, ${at}`,
    request: "Anfrage",
    responseHeaders: "Kopfzeilen der Antwort",
    noHeaders: "Keine Antwort.",
    curl: "Dieselbe Anfrage als Befehl",
    curlText:
      "Mit der Signatur dieses Versuchs, die Empfänger nur für kurze Zeit annehmen: 60 Sekunden lang, wenn sie nichts anderes einstellen. Ein Geheimnis steht nicht darin: Setzen Sie die Werte Ihrer Kopfzeilen an die Stelle von YOUR_VALUE.",
    payload: "Was gesendet wurde",
    payloadHidden: "Betrachter sehen nicht, was gesendet wurde. Besitzer und Entwickler dieser App sehen es."
  },
  states: {
    trying: "Wird versucht",
    delivered: "Zugestellt",
    failed: "Fehlgeschlagen",
    too_old: "Zu alt zum Senden"
  },
  reasons: {
    exhausted: "alle Versuche sind verbraucht",
    endpoint_disabled: "der Endpunkt war abgeschaltet",
    endpoint_removed: "der Endpunkt wurde entfernt",
    not_authorised: "Ihre App ist nicht mehr berechtigt",
    not_sent: "ein Fehler dieses Dienstes hat das Senden verhindert",
    abandoned: "unsere Prozesse haben es mehrmals nicht zu Ende gebracht",
    address_changed: "der Endpunkt hat nicht mehr die Adresse, die die Regel nennt"
  },
  attemptOf: (attempt, most) => `Versuch ${attempt} von ${most}`,
  attemptDue: (attempt, most, due) => html`Versuch ${attempt} von ${most}, fällig ${due}`,
  endsTooOld: (at) => html`endet als zu alt: ${at}`,
  test: "Test",
  replay: (count) => `Wiederholung ${count}`,
  replayed: "Wiederholt"
}
