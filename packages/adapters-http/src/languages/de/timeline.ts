import { html } from "../../html/Html.js"
import type * as en from "../en/timeline.js"
import { number, plural } from "./words.js"

export const timeline: typeof en.timeline = {
  heading: "Mein Verlauf",
  titleOf: (date) => `Verlauf vom ${date}`,
  nothingKnown: "Von diesem Tag ist nichts bekannt.",
  isCut: "Dieser Tag hat sehr viele Standorte. Sie sehen sein Ende.",
  isIncomplete: "Einige Besuche dieses Tages sind noch nicht berechnet. Laden Sie die Seite in einer Minute neu.",
  download: "Diesen Tag herunterladen (GPX)",
  aside: "Andere Tage und die Daten dieses Tages",
  dayBefore: "Der Tag davor",
  dayAfter: "Der Tag danach",
  stillThere: (duration) => html`${duration}, noch dort`,
  atLeast: (duration, at) => html`${duration}, mindestens bis ${at}`,
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
    locations: "Standorte"
  },
  saw: {
    heading: "Welche App was gesehen hat",
    nobody: "An diesem Tag hat keine App etwas abgefragt.",
    requests: (count) => `Insgesamt ${plural(count, "Abfrage", "Abfragen")}`
  },
  calendar: {
    month: (name, year) => `${name} ${year}`,
    around: "Die Tage um diesen",
    before: "Der Monat davor",
    after: "Der Monat danach",
    locations: (count) => `${number(count)} Standorte`,
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
    going: (locations, visits) =>
      `Endgültig gelöscht werden: ${plural(locations, "Standort", "Standorte")} und ${plural(visits, "Besuch", "Besuche")} mit Ende in dieser Zeit. Niemand kann sie wiederherstellen.`,
    visits: (from) =>
      html`Ein Besuch, der in diese Zeit reicht, endet dann zu ihrem Beginn (${from}). Was Ihr Handy später noch aus
      dieser Zeit sendet, speichern wir nicht.`,
    rules:
      "Die Regeln von Apps beginnen neu, und Ereignisse aus dieser Zeit, die noch nicht gesendet sind, senden wir nicht.",
    known: "Was Apps schon wissen",
    nobodyAsked: "In dieser Zeit hat keine App etwas abgefragt.",
    asked: "Diese Apps haben in dieser Zeit etwas abgefragt. Was sie erfahren haben, behalten sie:",
    requests: (app, count) => html`${app}, ${plural(count, "Abfrage", "Abfragen")}`,
    later:
      "Apps, die später gefragt haben, haben vielleicht auch nach dieser Zeit gefragt. Archive, die Sie vorher angelegt haben, enthalten sie noch.",
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
    notBefore: (heard) => html`Nicht bekannt. Letzter Standort: ${heard}`,
    atLeast: (duration) => html`Mindestens ${duration}`,
    older: "Ältere",
    newest: "Die neuesten"
  }
}
