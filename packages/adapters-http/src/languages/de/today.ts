import { html } from "../../html/Html.js"
import type * as en from "../en/today.js"
import { number, plural } from "./words.js"

export const today: typeof en.today = {
  title: "Heute",
  steps: {
    heading: "Drei Schritte, und Apps können fragen",
    done: "Erledigt",
    place: "Ein Ort",
    placeText: "Ziehen Sie einen Kreis um Ihr Zuhause oder Ihre Arbeit. Apps erfahren nur, was Sie erlauben.",
    addPlace: "Ort hinzufügen",
    phone: "Ein Handy",
    phoneText: "Installieren Sie eine kostenlose App auf Ihrem Handy. Sie sendet uns, wo Sie sind.",
    addPhone: "Handy hinzufügen",
    app: "Eine App",
    appText:
      "Öffnen Sie die App, die wissen möchte, wo Sie sind, und wählen Sie dort, sie zu verbinden. Sie führt Sie hierher, und Sie entscheiden, was sie fragen darf."
  },
  suggestion: {
    name: { home: "Zuhause", work: "Arbeit", other: "Ort" },
    label: (name) => html`Ein Vorschlag: ${name}`,
    nights: (count, last, name) =>
      html`Sie waren ${plural(count, "Nacht", "Nächte")} an einer Stelle (zuletzt: ${last}). Soll sie „${name}“ heißen?`,
    days: (count, last, name) =>
      html`Sie waren ${plural(count, "Tag", "Tage")} an einer Stelle (zuletzt: ${last}). Soll sie „${name}“ heißen?`,
    onlyYou: "Nur Sie sehen das. Apps erfahren nichts von einem Ort, bevor Sie ihn freigeben.",
    look: "Erst ansehen",
    call: (name) => html`„${name}“ nennen`
  },
  askedOften: {
    heading: (app) => `${app} hat ungewöhnlich oft gefragt`,
    text: (calls, until, expected) =>
      html`${number(calls)} Mal an einem Tag, bis ${until}. Angekündigt waren höchstens ${number(expected)} am Tag.`,
    see: "Ansehen, was sie gefragt hat"
  },
  silent: {
    heading: (phone) => `${phone} sendet nichts`,
    never: "Es hat noch nie einen Standort gesendet.",
    last: (ago) => html`Es hat ${ago} zuletzt etwas gesendet.`,
    advice:
      "Apps, die fragen, bekommen alte Antworten oder „unbekannt“. Oft hat der Energiesparmodus des Handys die App beendet: Öffnen Sie sie einmal.",
    setUp: "So richten Sie das Handy ein"
  },
  unconfirmed: {
    heading: "Ihre E-Mail-Adresse ist nicht bestätigt",
    text: "Wir schicken keine E-Mails dorthin, und Sie können keine App verbinden, bis Sie den Link öffnen, den wir Ihnen schicken.",
    confirm: "Meine Adresse bestätigen"
  },
  paused: {
    all: (count) => (count === 1 ? "Ihre App ist pausiert" : "Ihre Apps sind pausiert"),
    some: (count, all) => `${number(count)} von ${number(all)} Apps ${count === 1 ? "ist" : "sind"} pausiert`,
    resume: () => "Fortsetzen"
  },
  where: {
    heading: "Wo Sie sind",
    headingPast: "Wo Sie zuletzt waren",
    elsewhere: "An keinem Ihrer Orte",
    unknown: "Nicht bekannt",
    since: (at) => html`Seit: ${at}.`,
    nothing: "Es ist noch kein Standort angekommen, aus dem es hervorgeht.",
    by: (ago) => html`Nach einem Standort, der ${ago} gemessen wurde.`,
    span: (from, until) => html`Mindestens: ${from} bis ${until}.`,
    at: (at) => html`Zeitpunkt: ${at}.`,
    silentSince: (ago) => html`Der letzte Standort wurde ${ago} gemessen: Seitdem ist nichts bekannt.`,
    timeline: "Mein Verlauf"
  },
  phone: {
    heading: "Ihr Handy",
    states: { fresh: "Sendet", late: "Verspätet", silent: "Sendet nichts", never: "Noch nichts gesendet" },
    nothing: "Es hat noch keinen Standort gesendet.",
    sent: (ago, at) => html`Es hat ${ago} seinen Standort gesendet (${at}).`,
    one: "Ihr Handy",
    all: (count) => `Alle ${number(count)} Handys`
  },
  ending: {
    heading: "Endet bald",
    connection: (app, at) => html`${app} darf fragen bis ${at}`,
    exact_location: (app, at) => html`${app} darf Ihren genauen Standort sehen bis ${at}`,
    look: "Ansehen"
  },
  asked: {
    heading: "Wer gefragt hat oder benachrichtigt wurde",
    nobody: "In den letzten 14 Tagen hat keine App gefragt, und keine wurde benachrichtigt.",
    notToday: "Heute nicht",
    times: (count) => `heute ${plural(count, "Eintrag", "Einträge")}`,
    caption: (app) => `${app}, die letzten 14 Tage`,
    log: "Was sie gefragt und erfahren haben",
    day: "Tag",
    entries: "Einträge"
  }
}
