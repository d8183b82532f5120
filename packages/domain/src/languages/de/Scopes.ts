import type { GermanPair } from "../GermanPair.js"

/** The texts that say what a scope allows (`Scope.describe`). */
export const scopes: ReadonlyArray<GermanPair> = [
  {
    en: "See which of the places you share you are at now",
    de: "Sehen, an welchem Ihrer freigegebenen Orte Sie gerade sind"
  },
  {
    en: "Ask which of the places you share you were at, at a given moment",
    de: "Abfragen, an welchem Ihrer freigegebenen Orte Sie zu einem bestimmten Zeitpunkt waren"
  },
  { en: "See your visits to the places you share", de: "Ihre Besuche an Ihren freigegebenen Orten sehen" },
  {
    en: "Be told when you arrive at, leave or stay at a place you share",
    de: "Benachrichtigt werden, wenn Sie an einem freigegebenen Ort ankommen, ihn verlassen oder dort bleiben"
  },
  {
    en: "Be told when you enter, leave or stay in an area the app chooses",
    de: "Benachrichtigt werden, wenn Sie einen Bereich betreten, den die App wählt, ihn verlassen oder dort bleiben"
  },
  {
    en: "Ask whether you are inside an area the app chooses",
    de: "Abfragen, ob Sie in einem Bereich sind, den die App wählt"
  },
  {
    en: "Be told when you change which places you share",
    de: "Benachrichtigt werden, wenn Sie ändern, welche Orte freigegeben sind"
  },
  { en: "See your latest exact location", de: "Ihren letzten genauen Standort sehen" },
  { en: "See your exact location history", de: "Den Verlauf Ihrer genauen Standorte sehen" },
  { en: "See your exact location at a given moment", de: "Ihren genauen Standort zu einem bestimmten Zeitpunkt sehen" }
]
