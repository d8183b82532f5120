import { html } from "../../html/Html.js"
import type * as en from "../en/timeline.js"
import { number, plural } from "./words.js"

export const timeline: typeof en.timeline = {
  heading: "Mein Verlauf",
  titleOf: (day) => html`Verlauf: ${day}`,
  nothingKnown: "Von diesem Tag ist nichts bekannt.",
  nothingOnMap:
    "Die Standorte dieses Tages sind nicht auf der Karte: Sie sind ungenau oder von einem Gerät, das Sie nicht dabeihatten.",
  isCut: "Dieser Tag hat sehr viele Standorte. Sie sehen sein Ende.",
  isIncomplete: "Einige Besuche dieses Tages sind noch nicht berechnet. Laden Sie die Seite in einer Minute neu.",
  download: "Diesen Tag herunterladen (GPX)",
  fileIsCut: (most) => `Die Datei hat die ersten ${number(most)} Standorte dieses Tages.`,
  aside: "Andere Tage und die Daten dieses Tages",
  dayBefore: "Der Tag davor",
  dayAfter: "Der Tag danach",
  stillThere: (duration) => html`${duration}, noch dort`,
  atLeast: (duration, at) => html`${duration}, mindestens bis ${at}`,
  uncertain: (duration, at) =>
    html`Mindestens ${duration}. Das Ende ist ungewiss: Das Handy schwieg ab ${at} und war dann weit weg`,
  until: (duration, at) => html`${duration}, bis ${at}`,
  since: (at) => html`Seit: ${at}`,
  near: (town) => `Bei ${town}`,
  stop: "Ein Halt",
  stopNear: (town) => `Ein Halt bei ${town}`,
  makePlace: "Ort daraus machen",
  way: "Unterwegs",
  wayLength: (duration, distance) => html`${duration}, ${distance}`,
  deleted: (duration) => html`Von Ihnen gelöscht: ${duration}`,
  gap: (duration) => html`Nichts bekannt: ${duration}`,
  metres: (metres) => `${metres} m`,
  kilometres: (kilometres) => `${kilometres.toFixed(1).replace(".", ",")} km`,
  totals: {
    heading: "Summen",
    visits: (duration, count) => html`${duration}, ${plural(count, "Besuch", "Besuche")}`,
    locations: "Standorte",
    onMap: "Standorte auf der Linie"
  },
  saw: {
    heading: "Welche App was gesehen hat",
    nobody: "An diesem Tag hat keine App gefragt, und keine wurde benachrichtigt.",
    entries: (count) => `Insgesamt ${plural(count, "Eintrag", "Einträge")}`,
    more: (app) => `Alles von ${app} in Ihrem Zugriffsprotokoll`
  },
  calendar: {
    month: (name, year) => `${name} ${year}`,
    around: "Die Tage um diesen",
    before: "Der Monat davor",
    after: "Der Monat danach",
    locations: (count) => plural(count, "Standort", "Standorte"),
    weekdays: {
      monday: { short: "Mo", long: "Montag" },
      tuesday: { short: "Di", long: "Dienstag" },
      wednesday: { short: "Mi", long: "Mittwoch" },
      thursday: { short: "Do", long: "Donnerstag" },
      friday: { short: "Fr", long: "Freitag" },
      saturday: { short: "Sa", long: "Samstag" },
      sunday: { short: "So", long: "Sonntag" }
    }
  },
  erase: {
    labels: { from: "Von", until: "Bis" },
    part: "Einen Teil dieses Tages löschen",
    parts: {
      morning: "Bis 12:00 …",
      afternoon: "12:00 bis 18:00 …",
      evening: "Ab 18:00 …"
    },
    button: "Löschen …",
    wholeDay: "Den ganzen Tag löschen …",
    hint: "Sie sehen zuerst, was gelöscht würde.",
    title: "Einen Teil Ihres Standortverlaufs löschen",
    question: "Diesen Teil Ihres Standortverlaufs löschen?",
    stretch: (from, until) => html`${from} bis ${until}`,
    going: (locations) =>
      `Endgültig gelöscht ${locations === 1 ? "wird" : "werden"} ${plural(locations, "Standort", "Standorte")} aus dieser Zeit. Niemand kann wiederherstellen, was gelöscht ist.`,
    visits: (from) =>
      html`Ein Besuch, der in dieser Zeit begann, wird gelöscht. Spätere Standorte können den Rest davon noch zeigen.
      Ein Besuch, der vorher begann, endet dann zum Beginn dieser Zeit (${from}). Was Ihr Handy später noch aus dieser
      Zeit sendet, speichern wir nicht.`,
    rules:
      "Die Regeln von Apps beginnen neu, und Ereignisse aus dieser Zeit, die noch nicht gesendet sind, senden wir nicht.",
    known: "Was Apps schon wissen",
    nobodyAsked: "In dieser Zeit hat keine App etwas abgefragt.",
    asked: "Diese Apps haben in dieser Zeit etwas abgefragt. Was sie erfahren haben, behalten sie:",
    requests: (app, count) => html`${app}, ${plural(count, "Abfrage", "Abfragen")}`,
    later:
      "Apps, die später gefragt haben, haben vielleicht auch nach dieser Zeit gefragt. Archive, die Sie vorher angelegt haben, enthalten sie noch. Was wir an eine App gesendet haben, bleibt bei uns noch bis zu 30 Tage aufgezeichnet, und wer die App entwickelt, kann es lesen.",
    gap: "Eine App, die nach der Vergangenheit fragen darf, kann an der Lücke erkennen, dass Sie diese Zeit gelöscht haben.",
    forGood: "Endgültig löschen",
    cancel: "Abbrechen"
  },
  visits: {
    heading: (place) => `Besuche: ${place}`,
    none: "Es ist kein Besuch bekannt.",
    noneBefore: "Vor diesen ist kein Besuch bekannt.",
    arrived: "Angekommen",
    left: "Gegangen",
    duration: "Dauer",
    stillThere: "Noch dort",
    uncertain: (lastSeen) => html`Ungewiss. Das Handy schwieg ab ${lastSeen} und war dann weit weg`,
    notBefore: (lastSeen) => html`Nicht bekannt. Letzter Standort: ${lastSeen}`,
    atLeast: (duration) => html`Mindestens ${duration}`,
    older: "Ältere",
    newest: "Die neuesten"
  }
}

export const imports: typeof en.imports = {
  title: "Importe",
  lead: "Dateien darüber, wo Sie waren, bevor Ihr Handy verbunden war. Sie gehen nur in Ihren Standortverlauf ein: Keine App bekommt ihretwegen eine Benachrichtigung.",
  add: "Datei importieren",
  reloads: (seconds) => `Solange eine Datei gelesen wird, lädt sich diese Seite alle ${seconds} Sekunden neu.`,
  none: "Sie haben noch nichts importiert.",
  all: "Alle Importe",
  older: "Ältere",
  newest: "Neueste",
  states: {
    asking: "Wartet auf Sie",
    waiting: "Wartet",
    running: "Wird gelesen",
    done: "Fertig",
    failed: "Fehlgeschlagen",
    undoing: "Wird rückgängig gemacht"
  },
  formats: {
    gpx: "GPX",
    google_android: "Google-Zeitachse eines Android-Handys",
    google_ios: "Google-Zeitachse eines iPhones",
    google_takeout: "Google Takeout",
    google_monthly: "Google Takeout, Monatsdateien",
    kml: "KML",
    geojson: "GeoJSON",
    owntracks: "OwnTracks",
    tcx: "TCX",
    fit: "FIT",
    csv: "Tabelle (CSV)",
    own_archive: "Archiv dieses Dienstes"
  },
  uploaded: "Hochgeladen",
  kind: "Art",
  nameless: "Importierte Datei",
  stop: (file) => html`${file} abbrechen`,
  remove: (file) => html`${file} entfernen`,
  kept: "Ihr Standortverlauf behält, was gespeichert ist.",
  progress: (percent) => `${percent} % gelesen`,
  speed: (entries, seconds) =>
    `${plural(entries, "Eintrag", "Einträge")} pro Sekunde, noch etwa ${seconds < 90 ? plural(seconds, "Sekunde", "Sekunden") : plural(Math.ceil(seconds / 60), "Minute", "Minuten")}`,
  undo: {
    summary: "Diesen Import rückgängig machen",
    text: "Das löscht aus Ihrem Standortverlauf, was die Datei hinzugefügt hat, und die Besuche, die darin gefunden wurden. Standorte, die auch ein Handy oder eine andere Datei geschickt hat, bleiben. Was Apps vorher erfahren haben, behalten sie. Sie können die Datei noch einmal importieren.",
    button: (file) => html`Import von ${file} rückgängig machen`,
    going: "Was diese Datei hinzugefügt hat, wird aus Ihrem Standortverlauf gelöscht."
  },
  months: {
    summary: "Nach Monaten",
    month: "Monat (UTC)",
    read: "Gelesen",
    stored: "Neu",
    known: "Bekannt",
    leftOut: "Ausgelassen",
    tooRecent: (entries) => `${number(entries)} zu neu`,
    tooOld: (entries) => `${number(entries)} zu alt`,
    quarantined: (entries) => `${number(entries)} nicht verwendbar`,
    none: "Ohne Zeit",
    noneOrFurther: "Ohne Zeit, oder aus einem Monat, der hier keine Zeile hat"
  },
  columns: {
    title: "Welche Spalte ist welche?",
    lead: (file) =>
      html`Die erste Zeile der Tabelle ${file} nennt ihre Spalten. Prüfen Sie, welche davon gelesen werden, und starten
      Sie dann.`,
    open: "Spalten festlegen",
    nothing: "Nicht in der Datei",
    roles: {
      time: "Zeit",
      date: "Tag, wenn die Zeit nur Stunden hat",
      lat: "Breite",
      lon: "Länge",
      accuracy: "Genauigkeit in Metern",
      altitude: "Höhe in Metern",
      speed: "Geschwindigkeit in Metern pro Sekunde",
      course: "Richtung in Grad"
    },
    choose: "wählen Sie eine Spalte",
    button: "Tabelle lesen"
  },
  leftOut: (names, more, most, mostArchived) =>
    `Nicht hinzugefügt: ${names.map((name) => `„${name}“`).join(", ")}${more > 0 ? ` und ${plural(more, "weiterer", "weitere")}` : ""}. Ein Konto hat höchstens ${number(most)} Orte, und ein Import fügt archivierte bis zu ${number(mostArchived)} hinzu.`,
  makeRoom: (places) =>
    html`Um sie hinzuzufügen, archivieren Sie <a href="${places}">Orte, die Sie nicht mehr brauchen</a>, und importieren
      Sie die Datei dann noch einmal.`,
  nothingUsable:
    "Kein Eintrag dieser Datei war verwendbar: Jeder braucht einen Ort und eine lesbare Zeit ab 2010. In einer Tabelle schreiben Sie Zeiten wie 2025-08-01 08:00 (in UTC).",
  entries: (count) => plural(count, "Eintrag", "Einträge"),
  counts: {
    read: "Gelesen",
    stored: "Neu in Ihrem Standortverlauf",
    duplicates: "Schon bekannt",
    tooRecent: "Zu neu",
    tooOld: "Zu alt",
    overLimit: "Ausgelassen",
    quarantined: "Nicht verwendbar"
  },
  why: {
    tooRecent: "den letzten Tag vor dem Hochladen überlassen wir Ihrem Handy",
    tooOld: "älter als der Standortverlauf, den Sie behalten, oder aus einer Zeit, die Sie daraus gelöscht haben",
    overLimit: "mehr Orte, als ein Konto haben darf",
    quarantined: "ohne Zeit oder Ort, oder mit unmöglichen Angaben"
  },
  upload: {
    file: "Dateien",
    one: "Die Datei",
    hint: (most) =>
      `GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, Protokolle von OwnTracks, die Zeitachse eines Android-Handys oder iPhones, ein Google Takeout, oder ein Archiv, das Sie von diesem Dienst heruntergeladen haben. Auch gepackt als ZIP, TGZ oder GZ. Jede höchstens ${most}.`,
    button: "Hochladen",
    choose: "wählen Sie mindestens eine aus",
    several: (files) =>
      `${plural(files, "Datei wurde", "Dateien wurden")} hochgeladen und ${files === 1 ? "wird" : "werden"} gelesen. Die anderen nicht:`,
    asking: (list) =>
      html`Eine Tabelle wartet auf Ihre Antwort: Sagen Sie in der <a href="${list}">Liste der Importe</a>, welche ihrer
        Spalten gelesen werden.`,
    refused: (name, reason) => html`${name}: ${reason}`,
    cut: (most, last) =>
      html`Höchstens ${number(most)} Dateien werden auf einmal hochgeladen. Die Dateien nach ${last} fehlen: Wählen Sie
      sie noch einmal aus.`,
    script: {
      drop: "Oder legen Sie Dateien und ganze Ordner hier ab.",
      going: "{done} von {all} Dateien hochgeladen. Lassen Sie diese Seite offen.",
      waits:
        "Zu viele Dateien warten darauf, gelesen zu werden, oder auf Ihre Antwort zu ihren Spalten. Das Hochladen geht von selbst weiter, wenn eine davon fertig ist. Lassen Sie diese Seite offen.",
      failed: "konnte nicht hochgeladen werden",
      ended: "{done} von {all} Dateien hochgeladen.",
      list: "Alle Importe ansehen"
    },
    tooLarge: (most) => `darf höchstens ${most} groß sein`,
    tooLargeTogether: (most, together) =>
      `darf höchstens ${most} groß sein, und alle Dateien eines Uploads zusammen höchstens ${together}`,
    history: (days, settings) =>
      html`Ihr Standortverlauf wird ${number(days)} Tage lang behalten, deshalb wird ausgelassen, was in der Datei älter
        ist. Um auch das zu haben,
        <a href="${settings}">wählen Sie zuerst, wie lange Ihr Standortverlauf behalten wird</a>.`
  },
  sources: {
    heading: "Woher solche Dateien kommen",
    android: "Android",
    androidPath: "Einstellungen → Standort → Standortdienste → Zeitachse → Zeitachsendaten exportieren",
    iphone: "iPhone",
    iphonePath: "Google Maps → Ihr Bild → Einstellungen → Persönliche Inhalte → Zeitachsendaten exportieren",
    takeout: "Google Takeout",
    takeoutPath:
      "Die ZIP- oder TGZ-Dateien, wie sie kommen, jeder Teil davon. Nur Standortdateien darin werden gelesen. Ein Takeout seit 2024 hat nur wenige Positionen: Exportieren Sie die Zeitachse auf Ihrem Handy, wie oben beschrieben.",
    account: "Ein anderes Konto bei diesem Dienst",
    accountPath: "Einstellungen → Ihre Daten mitnehmen. Orte und Standorte kommen zurück; was Apps dürfen, nicht.",
    gpx: "GPX",
    gpxPath: "Jedes Programm, das Wege aufzeichnet, kann sie exportieren. Routen und Wegpunkte werden ausgelassen."
  }
}
