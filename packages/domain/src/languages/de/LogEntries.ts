import type { GermanPair } from "../GermanPair.js"

/** The texts of the access log about the requests of an app, the events for the app, and their results. */
export const logEntries: ReadonlyArray<GermanPair> = [
  { en: "A notification when you arrive at a place", de: "Eine Benachrichtigung, wenn Sie an einem Ort ankommen" },
  { en: "A notification when you leave a place", de: "Eine Benachrichtigung, wenn Sie einen Ort verlassen" },
  { en: "A notification when you stay at a place", de: "Eine Benachrichtigung, wenn Sie an einem Ort bleiben" },
  { en: "A notification when you arrive in an area", de: "Eine Benachrichtigung, wenn Sie in einem Bereich ankommen" },
  { en: "A notification when you leave an area", de: "Eine Benachrichtigung, wenn Sie einen Bereich verlassen" },
  { en: "A notification when you stay in an area", de: "Eine Benachrichtigung, wenn Sie in einem Bereich bleiben" },
  { en: "A notification when you share other places", de: "Eine Benachrichtigung, wenn Sie andere Orte freigeben" },
  { en: "Looked at what you allowed it", de: "Hat nachgesehen, was Sie der App erlaubt haben" },
  { en: "Asked which of your places you are at", de: "Hat abgefragt, an welchem Ihrer Orte Sie sind" },
  { en: "Asked which places you share", de: "Hat abgefragt, welche Orte Sie freigeben" },
  { en: "Asked whether you are at a place", de: "Hat abgefragt, ob Sie an einem Ort sind" },
  {
    en: "Asked whether you are in an area that it chose",
    de: "Hat abgefragt, ob Sie in einem Bereich sind, den die App gewählt hat"
  },
  {
    en: "Asked which of your places you were at, at some time",
    de: "Hat abgefragt, an welchem Ihrer Orte Sie zu einem Zeitpunkt waren"
  },
  { en: "Asked for your visits to your places", de: "Hat Ihre Besuche an Ihren Orten abgefragt" },
  { en: "Asked for your exact location", de: "Hat Ihren genauen Standort abgefragt" },
  { en: "Asked for your exact location at some time", de: "Hat Ihren genauen Standort zu einem Zeitpunkt abgefragt" },
  { en: "Asked for your exact locations over some time", de: "Hat Ihre genauen Standorte in einem Zeitraum abgefragt" },
  { en: "Asked on which days your location is known", de: "Hat abgefragt, an welchen Tagen Ihr Standort bekannt ist" },
  { en: "Asked for notifications about a place", de: "Möchte Benachrichtigungen zu einem Ort" },
  { en: "Looked at its notifications about places", de: "Hat ihre Benachrichtigungen zu Orten angesehen" },
  { en: "Stopped its notifications about a place", de: "Möchte keine Benachrichtigungen mehr zu einem Ort" },
  {
    en: "Asked why it was notified about a place, or was not",
    de: "Hat abgefragt, warum sie zu einem Ort benachrichtigt wurde oder nicht"
  },
  {
    en: "Asked for notifications about an area that it chose",
    de: "Möchte Benachrichtigungen zu einem Bereich, den die App gewählt hat"
  },
  {
    en: "Looked at its notifications about areas that it chose",
    de: "Hat ihre Benachrichtigungen zu Bereichen angesehen, die sie gewählt hat"
  },
  { en: "Stopped its notifications about an area", de: "Möchte keine Benachrichtigungen mehr zu einem Bereich" },
  {
    en: "Asked why it was notified about an area, or was not",
    de: "Hat abgefragt, warum sie zu einem Bereich benachrichtigt wurde oder nicht"
  },
  {
    en: "Its developer looked at why it was notified, or was not",
    de: "Die Entwickler haben nachgesehen, warum die App benachrichtigt wurde oder nicht"
  },
  { en: "Asked for notifications at an address", de: "Möchte Benachrichtigungen an eine Adresse" },
  { en: "Stopped its notifications at an address", de: "Möchte keine Benachrichtigungen mehr an eine Adresse" },
  { en: "Answered", de: "Beantwortet" },
  { en: "Refused", de: "Abgelehnt" },
  { en: "Withheld", de: "Zurückgehalten" },
  { en: "Not answered", de: "Nicht beantwortet" },
  { en: "Refused: {why:text}", de: "Abgelehnt: {why:text}" },
  { en: "Withheld: {why:text}", de: "Zurückgehalten: {why:text}" },
  { en: "Not answered: {why:text}", de: "Nicht beantwortet: {why:text}" },
  { en: "its access token was no longer valid", de: "ihr Access-Token war nicht mehr gültig" },
  { en: "you have not allowed this", de: "Sie haben das nicht erlaubt" },
  { en: "your permission had expired", de: "Ihre Erlaubnis war abgelaufen" },
  { en: "it named no purpose that it may use", de: "sie hat keinen Zweck genannt, den sie verwenden darf" },
  { en: "it sent too many requests", de: "sie hat zu viele Abfragen gesendet" },
  {
    en: "it asked too often about areas that it chose",
    de: "sie hat zu oft nach Bereichen gefragt, die sie gewählt hat"
  },
  { en: "its request contained mistakes", de: "ihre Abfrage hatte Fehler" },
  { en: "its request could not be read", de: "ihre Abfrage war nicht lesbar" },
  { en: "its request was too large", de: "ihre Abfrage war zu groß" },
  { en: "its request was in a format that we do not read", de: "ihre Abfrage hatte ein Format, das wir nicht lesen" },
  {
    en: "it asked for something that does not exist, or that it may not know of",
    de: "sie hat nach etwas gefragt, das es nicht gibt oder von dem sie nichts wissen darf"
  },
  { en: "its request did not fit the current state", de: "ihre Abfrage passte nicht zum aktuellen Zustand" },
  {
    en: "it repeated a request while the same one was being answered",
    de: "sie hat eine Abfrage wiederholt, während dieselbe noch beantwortet wurde"
  },
  {
    en: "it sent two different requests as if they were one",
    de: "sie hat zwei verschiedene Abfragen als eine gesendet"
  },
  { en: "it would have had too many rules at once", de: "sie hätte zu viele Regeln zugleich gehabt" },
  {
    en: "it named an address that it has not registered",
    de: "sie hat eine Adresse genannt, die sie nicht registriert hat"
  },
  { en: "the service was not available at that moment", de: "der Dienst war in diesem Moment nicht verfügbar" },
  { en: "your connection with the app was on hold", de: "Ihre Verbindung mit der App ruhte" },
  { en: "something went wrong on our side", de: "bei uns ist etwas schiefgegangen" },
  {
    en: "the app hung up before it had the answer; its request may have been carried out",
    de: "die App hat aufgelegt, bevor sie die Antwort hatte; ihre Abfrage wurde vielleicht ausgeführt"
  },
  { en: "the event was too old to be sent", de: "das Ereignis war zu alt, um gesendet zu werden" },
  { en: "the app was no longer allowed to know", de: "die App durfte es nicht mehr erfahren" },
  { en: "the app has no address for such events", de: "die App hat keine Adresse für solche Ereignisse" }
]
