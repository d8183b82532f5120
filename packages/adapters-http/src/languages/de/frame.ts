import { html } from "../../html/Html.js"
import type * as en from "../en/frame.js"
import { browserName } from "./words.js"

export const frame: typeof en.frame = {
  skip: "Zum Inhalt springen",
  sections: "Hauptnavigation",
  today: "Heute",
  timeline: "Verlauf",
  connections: html`<span class="roomy">Verbundene </span>Apps`,
  places: "Orte",
  devices: "Geräte",
  accessLog: html`<span class="roomy">Zugriffs</span>protokoll`,
  developers: "Entwickler",
  review: "Prüfung",
  admin: "Admin",
  settings: "Einstellungen",
  signOut: "Abmelden",
  noAddress: (href) =>
    html`Ihr Konto hat keine E-Mail-Adresse, denn jemand anderes hat die bisherige bestätigt.
      <a href="${href}">Legen Sie eine andere fest</a>: Ohne Adresse können Sie sich nicht wieder anmelden.`,
  documentation: "Dokumentation",
  notKept:
    "Noch hat sich nichts geändert. Bitte wiederholen Sie es: Ihre Eingaben und Ihre Auswahl wurden nicht gespeichert.",
  refused: (title) => html`Fehler: ${title}`,
  fields: {
    problems: "Etwas stimmt nicht",
    outdated:
      "Seit Sie diese Seite geöffnet haben, hat sich etwas geändert. Deshalb wurde nichts gespeichert. Prüfen Sie das Formular, und speichern Sie noch einmal.",
    outdatedAnew:
      "Seit Sie diese Seite geöffnet haben, hat sich etwas geändert. Deshalb wurde nichts gespeichert. Das Formular zeigt, was jetzt gespeichert ist. Machen Sie Ihre Änderung noch einmal.",
    expired:
      "Seit Sie dieses Formular geöffnet haben, haben Sie sich neu angemeldet oder Ihre Identität bestätigt. Deshalb wurde nichts gespeichert. Prüfen Sie das Formular, und senden Sie es noch einmal ab.",
    newPassword:
      "Mindestens 10 Zeichen. Vier Wörter, die nicht zusammengehören, sind leicht zu merken und schwer zu erraten.",
    noEmail: "Geben Sie eine Adresse ein, zum Beispiel name@beispiel.de",
    email: "E-Mail-Adresse",
    password: "Passwort"
  },
  keep: { 30: "30 Tage", 90: "90 Tage", 365: "365 Tage", forever: "Für immer" },
  starting: {
    title: "Der Dienst startet gerade",
    text: "Das dauert einige Sekunden. Die Seite erscheint dann von selbst."
  },
  browser: (name) => browserName(name),
  comparison: { changed: "Geändert", removed: "Wird entfernt", added: "Neu" },
  errors: {
    titles: {
      400: "Mit dieser Anfrage können wir nichts anfangen",
      401: "Melden Sie sich zuerst an",
      403: "Das ist nicht erlaubt",
      404: "Diese Seite gibt es nicht",
      405: "Diese Seite lässt sich so nicht verwenden",
      409: "Das passt nicht zum jetzigen Stand",
      413: "Das ist zu groß",
      415: "Das ist kein Formular",
      429: "Zu viele Versuche",
      500: "Bei uns ist etwas schiefgegangen",
      503: "Wir sind gerade nicht erreichbar"
    },
    stale: "Dieses Formular ist abgelaufen",
    staleAdvice: "Gehen Sie zurück, laden Sie die Seite neu, und füllen Sie das Formular noch einmal aus",
    noCookie: "Diese Seite braucht ein Cookie",
    unknown: "Etwas ist schiefgegangen",
    advice: {
      405: "Gehen Sie zurück, und verwenden Sie die Links und Knöpfe der Seite",
      413: "Was Sie gesendet haben, ist größer, als diese Seite annimmt. Wählen Sie eine kleinere Datei oder weniger Text",
      415: "Gehen Sie zurück, laden Sie die Seite neu, und füllen Sie das Formular noch einmal aus",
      429: "Warten Sie ein wenig, und versuchen Sie es dann wieder",
      500: "Versuchen Sie es noch einmal. Wenn es wieder geschieht, sagen Sie es uns",
      503: "Versuchen Sie es gleich noch einmal"
    },
    number: (id) => html`Wenn Sie uns danach fragen, nennen Sie uns diese Nummer: <code>${id}</code>`,
    frontPage: "Zur Startseite"
  },
  messages: {
    stale:
      "Dieses Formular ist abgelaufen. Gehen Sie zurück, laden Sie die Seite neu, und füllen Sie es noch einmal aus",
    noCookie:
      "Ihr Browser hat das Cookie nicht gesendet, das dieses Formular braucht. Erlauben Sie Cookies für diesen Dienst, laden Sie die Seite neu, und füllen Sie das Formular noch einmal aus",
    tooManyFields: "Das Formular hat zu viele Felder",
    noPage: "Unter dieser Adresse ist nichts",
    noAccount: "Dieses Konto gibt es nicht",
    noApp: "Diese App gibt es nicht",
    noConnection: "Diese Verbindung gibt es nicht",
    noConsentRequest: "Diese Anfrage nach Ihrer Zustimmung gibt es nicht",
    noDelivery: "Diese Zustellung gibt es nicht",
    noDevice: "Dieses Gerät gibt es nicht",
    noEndpoint: "Diesen Endpunkt gibt es nicht",
    noExport: "Dieses Archiv gibt es nicht",
    noImport: "Diesen Import gibt es nicht",
    noInvitation: "Diese Einladung gibt es nicht",
    noLink: "Diesen Link gibt es nicht",
    noLogo: "Dieses Logo gibt es nicht",
    noMember: "Dieses Mitglied gibt es nicht",
    noPasskey: "Diesen Passkey gibt es nicht",
    noPlace: "Diesen Ort gibt es nicht",
    noTestPerson: "Diese Testperson gibt es nicht",
    noPurpose: "Diesen Zweck gibt es nicht",
    noReceipt: "Diesen Beleg gibt es nicht",
    noRule: "Diese Regel gibt es nicht",
    noSession: "Diese Anmeldung gibt es nicht",
    noSubscription: "Diese Adresse gibt es nicht",
    unknownRole: "Diese Rolle gibt es nicht",
    noDate: "Der erste Tag muss ein Datum sein",
    noPause: "Das Formular nennt keine Dauer einer Pause",
    unknownPlace: "Das Formular nennt einen Ort, den es nicht gibt",
    foreignPage: "Der Aufruf kam nicht von einer Seite dieses Dienstes: Das sagt sein Origin-Header",
    noOrigin:
      "Der Aufruf kam nicht von einer Seite dieses Dienstes: Ihm fehlt der Origin-Header, den Browser mit jedem Aufruf senden, der etwas ändert",
    unreadable: "Die Anfrage konnte nicht gelesen werden",
    endedEarly: "Die Übertragung hat zu früh geendet",
    noFile: "Die Übertragung ist kein Formular mit einer Datei",
    nul: "Die Adresse enthält ein NUL-Zeichen",
    mustBeDate: "muss ein Datum sein",
    beforeFirstDay: "darf nicht vor dem ersten Tag liegen",
    oneOfFour: "wählen Sie eine der vier Möglichkeiten"
  }
}
