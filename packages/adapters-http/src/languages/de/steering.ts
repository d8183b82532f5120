import { html } from "../../html/Html.js"
import type * as en from "../en/steering.js"
import { plural } from "./words.js"

export const steering: typeof en.steering = {
  marks: {
    exact: "Genauer Standort",
    exactEnds: (at) => html`Genauer Standort, Ende: ${at}`,
    ends: (at) => html`Ende: ${at}`
  },
  labels: {
    scopes: "Was sie darf",
    standard_days: "Das Ende",
    sensitive_days: "Das Ende des genauen Standorts"
  },
  pause: {
    badge: "Pausiert",
    lengths: { hour: "1 Stunde", day: "1 Tag", until_resumed: "Bis ich fortsetze" },
    heading: "Pausieren",
    hint: "Während einer Pause erfährt die App nicht, wo Sie sind oder waren, und keine Regel benachrichtigt sie. Die App kann sehen, dass Sie sie pausiert haben. Nach der Pause kann die App auch nach dieser Zeit fragen, soweit sie nach der Vergangenheit fragen darf.",
    until: (at) => html`Pausiert bis: ${at}.`,
    untilResumed: "Pausiert, bis Sie fortsetzen.",
    text: (app) =>
      `${app} erfährt nicht, wo Sie sind oder waren. Nach der Pause kann die App auch nach dieser Zeit fragen, soweit sie nach der Vergangenheit fragen darf.`,
    resume: "Jetzt fortsetzen",
    longer: "Länger pausieren",
    all: "Alle Apps pausieren",
    allHint:
      "Keine App erfährt, wo Sie sind oder waren. Nach der Pause kann eine App auch nach dieser Zeit fragen, soweit sie nach der Vergangenheit fragen darf. Eine längere Pause einer einzelnen App bleibt.",
    resumeAll: "Alle fortsetzen"
  },
  endExact: {
    button: "Genauen Standort jetzt beenden",
    isAll: "Die App hat sonst nichts, deshalb trennt das die App.",
    isPart: "Der Rest der Verbindung besteht weiter. Sie können den Standort danach wieder freigeben.",
    undo: "Rückgängig: wieder freigeben",
    undoUntil: (at) => html`Wie vorher bis: ${at}.`
  },
  disconnect: "Trennen …",
  permissions: {
    standard: "Über die Orte, die Sie freigeben",
    sensitive: "Ihr genauer Standort",
    nothing: "Nichts.",
    takenAway: "Weggenommen",
    limitedExact: "Ein neues Ende des genauen Standorts nimmt weg, was hier mit „Jetzt nicht“ markiert ist.",
    notNow: "Jetzt nicht",
    hint: "Dem haben Sie zugestimmt, als die App gefragt hat. Für alles andere muss die App Sie noch einmal fragen.",
    connectionEnds: "Die Verbindung endet",
    exactEnds: "Der genaue Standort endet",
    now: (at) => html`Jetzt: ${at}`,
    nowNoEnd: "Jetzt: kein Enddatum",
    nowNotShared: "Jetzt: nicht freigegeben",
    nowEnded: (at) => html`Jetzt: nicht freigegeben. Beendet: ${at}`,
    keep: "Wie jetzt",
    fromNow: (days) => (days === "never" ? "Kein Enddatum" : `${plural(days, "Tag", "Tage")} ab jetzt`),
    save: "Änderungen speichern"
  },
  history: {
    title: (app) => `Was Sie mit ${app} vereinbart haben`,
    heading: "Was Sie vereinbart haben, und wann",
    lead: "Jede Änderung dieser Verbindung, die neueste zuerst. Ein Beleg ist eine Textdatei mit allem, was von diesem Zeitpunkt an vereinbart war.",
    changes: {
      connected: "Verbunden",
      changed: "Neu vereinbart",
      renewed: "Genauer Standort verlängert",
      permissions_changed: "Berechtigungen geändert",
      end_changed: "Ende verschoben",
      exact_location_ended: "Genauer Standort beendet",
      places_changed: "Orte geändert",
      paused: "Pausiert",
      resumed: "Fortgesetzt",
      exact_location_removed: "Genauer Standort entfernt",
      ended: "Beendet"
    },
    by: {
      consent: "die App hat gefragt, und Sie haben es erlaubt",
      user: "Sie haben es selbst geändert",
      app: "die App hat es geändert",
      service: "innerhalb von 14 Tagen hat es niemand verlängert"
    },
    byWhom: (who) => html`Wie es dazu kam: ${who}`,
    added: "Hinzugefügt",
    removed: "Entfernt",
    earlierVisits: (place) => `Auch Besuche aus der Zeit vor der Freigabe: ${place}`,
    noEnd: "Kein Enddatum",
    connectionEnds: (at) => html`Die Verbindung endet: ${at}`,
    exactEnds: (at) => html`Der genaue Standort endet: ${at}`,
    exactEnded: (at) => html`Der genaue Standort war beendet: ${at}`,
    untilResumed: "Bis Sie fortsetzen",
    until: (at) => html`Bis: ${at}`,
    receipt: "Beleg herunterladen",
    receiptOf: (change, at) => html`: ${change}, ${at}`,
    incomplete: (connectedAt) =>
      html`Verbunden: ${connectedAt}. Änderungen vor der ältesten oben stehen nicht in dieser Liste.`
  },
  receipt: {
    heading: "BELEG",
    app: (name) => `App: ${name}`,
    connection: (id) => `Verbindung: ${id}`,
    when: (at, iso) => `Wann: ${at} (${iso})`,
    what: (change) => `Was: ${change}`,
    byWhom: (who) => `Wie es dazu kam: ${who}`,
    could: "Was Sie der App von da an erlaubt haben:",
    places: "Über diese Orte, mit ihren jetzigen Namen:",
    earlierVisits: "Auch Besuche aus der Zeit vor der Freigabe, an diesen Orten:",
    nothing: "nichts",
    hasEnded: "Die Verbindung ist beendet.",
    connectionEnds: (at) => `Die Verbindung endet: ${at}`,
    connectionHasNoEnd: "Die Verbindung endet: kein Enddatum",
    exactEnds: (at) => `Der genaue Standort endet: ${at}`,
    exactEnded: (at) => `Der genaue Standort war beendet: ${at}`,
    exactIsNotShared: "Der genaue Standort endet: nicht freigegeben",
    pausedUntil: (at) => `Pausiert bis: ${at}`,
    pausedUntilResumed: "Pausiert, bis die Person fortsetzt"
  }
}
