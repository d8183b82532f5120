import type { GermanPair } from "../GermanPair.js"

/** The texts of the access log about what an app learned. */
export const disclosures: ReadonlyArray<GermanPair> = [
  { en: "Nothing, because you had paused the app", de: "Nichts, weil Sie die App pausiert hatten" },
  { en: "You were at {place}", de: "Sie waren am Ort „{place}“" },
  { en: "You were not at {place}", de: "Sie waren nicht am Ort „{place}“" },
  {
    en: "You were at none of the places that it may ask about",
    de: "Sie waren an keinem der Orte, nach denen die App fragen darf"
  },
  { en: "It was not known where you were", de: "Es war nicht bekannt, wo Sie waren" },
  { en: "It was not known whether you were at {place}", de: "Es war nicht bekannt, ob Sie am Ort „{place}“ waren" },
  { en: "that it may ask about none of your places", de: "dass sie nach keinem Ihrer Orte fragen darf" },
  { en: "the names of 1 shared place", de: "der Name von 1 freigegebenen Ort" },
  { en: "the names of {n:number} shared places", de: "die Namen von {n:number} freigegebenen Orten" },
  {
    en: "whether you were within {m:number} m of “{label}”: yes",
    de: "ob Sie im Umkreis von {m:number} m um „{label}“ waren: ja"
  },
  {
    en: "whether you were within {m:number} m of “{label}”: no",
    de: "ob Sie im Umkreis von {m:number} m um „{label}“ waren: nein"
  },
  {
    en: "whether you were within {m:number} m of “{label}”: not known",
    de: "ob Sie im Umkreis von {m:number} m um „{label}“ waren: nicht bekannt"
  },
  { en: "It was not known where you were on {at:moment}", de: "Es war nicht bekannt, wo Sie waren ({at:moment})" },
  {
    en: "You were at none of the places that it may ask about on {at:moment}",
    de: "Sie waren an keinem der Orte, nach denen die App fragen darf ({at:moment})"
  },
  { en: "You were at {place} on {at:moment}", de: "Sie waren am Ort „{place}“ ({at:moment})" },
  { en: "your last known location", de: "Ihr letzter bekannter Standort" },
  { en: "that no location of yours is known", de: "dass kein Standort von Ihnen bekannt ist" },
  { en: "that your location on {at:moment} is not known", de: "dass Ihr Standort nicht bekannt ist ({at:moment})" },
  { en: "your location on {at:moment}", de: "Ihr Standort ({at:moment})" },
  { en: "1 location from {from:moment} to {until:moment}", de: "1 Standort von {from:moment} bis {until:moment}" },
  {
    en: "{n:number} locations from {from:moment} to {until:moment}",
    de: "{n:number} Standorte von {from:moment} bis {until:moment}"
  },
  {
    en: "how many locations there are on each of 1 day from {from:moment} to {until:moment}",
    de: "wie viele Standorte es an 1 Tag gibt, von {from:moment} bis {until:moment}"
  },
  {
    en: "how many locations there are on each of {n:number} days from {from:moment} to {until:moment}",
    de: "wie viele Standorte es an jedem von {n:number} Tagen gibt, von {from:moment} bis {until:moment}"
  },
  { en: "that there were no visits to tell of", de: "dass es keine Besuche gab" },
  { en: "1 visit to “{place}”", de: "1 Besuch: „{place}“" },
  { en: "{n:number} visits to “{place}”", de: "{n:number} Besuche: „{place}“" },
  { en: "{n:number} visits to “{a}” and “{b}”", de: "{n:number} Besuche: „{a}“ und „{b}“" },
  { en: "{n:number} visits to “{a}”, “{b}” and “{c}”", de: "{n:number} Besuche: „{a}“, „{b}“ und „{c}“" },
  { en: "{n:number} visits to “{a}”, “{b}”, “{c}” and “{d}”", de: "{n:number} Besuche: „{a}“, „{b}“, „{c}“ und „{d}“" },
  {
    en: "{n:number} visits to “{a}”, “{b}”, “{c}” and {more:number} other places",
    de: "{n:number} Besuche: „{a}“, „{b}“, „{c}“ und {more:number} andere Orte"
  },
  { en: "1 visit to {places}", de: "1 Besuch: {places}" },
  { en: "{n:number} visits to {places}", de: "{n:number} Besuche: {places}" },
  { en: "the terms of the connection", de: "die Bedingungen der Verbindung" },
  { en: "the name of {place}", de: "der Name „{place}“" },
  {
    en: "nothing yet; it asked for notifications about {place}",
    de: "noch nichts; die App möchte Benachrichtigungen zu „{place}“"
  },
  {
    en: "nothing yet; it named an address for notifications on {host}",
    de: "noch nichts; die App hat eine Adresse für Benachrichtigungen auf {host} genannt"
  },
  {
    en: "nothing yet; it named an address for notifications",
    de: "noch nichts; die App hat eine Adresse für Benachrichtigungen genannt"
  },
  { en: "1 rule, with the names of places", de: "1 Regel, mit den Namen von Orten" },
  { en: "{n:number} rules, with the names of places", de: "{n:number} Regeln, mit den Namen von Orten" },
  { en: "1 rule of its own, on areas that it chose", de: "1 eigene Regel, über Bereiche, die die App gewählt hat" },
  {
    en: "{n:number} rules of its own, on areas that it chose",
    de: "{n:number} eigene Regeln, über Bereiche, die die App gewählt hat"
  },
  { en: "no checks of a rule on {place}", de: "keine Prüfungen einer Regel zu „{place}“" },
  { en: "the last 1 check of a rule on {place}", de: "die letzte Prüfung einer Regel zu „{place}“" },
  {
    en: "the last {n:number} checks of a rule on {place}",
    de: "die letzten {n:number} Prüfungen einer Regel zu „{place}“"
  },
  {
    en: "1 rule with their last checks, to the app's developer",
    de: "1 Regel mit ihren letzten Prüfungen, an die Entwickler der App"
  },
  {
    en: "{n:number} rules with their last checks, to the app's developer",
    de: "{n:number} Regeln mit ihren letzten Prüfungen, an die Entwickler der App"
  },
  {
    en: "1 rule without their last checks, to the app's developer",
    de: "1 Regel ohne ihre letzten Prüfungen, an die Entwickler der App"
  },
  {
    en: "{n:number} rules without their last checks, to the app's developer",
    de: "{n:number} Regeln ohne ihre letzten Prüfungen, an die Entwickler der App"
  },
  { en: "arrived at {place}", de: "angekommen: {place}" },
  { en: "left {place}", de: "verlassen: {place}" },
  { en: "stayed at {place}", de: "geblieben: {place}" },
  { en: "changed which places are shared", de: "geändert, welche Orte freigegeben sind" },
  { en: "nothing: “{what:text}” came too late", de: "nichts: „{what:text}“ kam zu spät" },
  { en: "nothing: “{what:text}” was not sent", de: "nichts: „{what:text}“ wurde nicht gesendet" },
  { en: "nothing: “{what:text}” was sent to nobody", de: "nichts: „{what:text}“ wurde an niemanden gesendet" },
  {
    en: "nothing more: “{what:text}” came too late to be sent again",
    de: "nichts weiter: „{what:text}“ kam zu spät, um noch einmal gesendet zu werden"
  },
  {
    en: "nothing more: “{what:text}” was not sent again",
    de: "nichts weiter: „{what:text}“ wurde nicht noch einmal gesendet"
  }
]
