import type { GermanPair } from "../GermanPair.js"

/** Faults of fields. A page puts the label of the field before them: "Passwort muss …". */
export const faults: ReadonlyArray<GermanPair> = [
  { en: "must not be empty", de: "darf nicht leer sein" },
  { en: "must be given", de: "muss angegeben werden" },
  { en: "must be a time", de: "muss ein Zeitpunkt sein" },
  { en: "must be a status such as 404, or none", de: "muss ein Status wie 404 sein, oder none" },
  { en: "must be at least {n:number} characters", de: "muss mindestens {n:number} Zeichen haben" },
  { en: "must be at most {n:number} characters", de: "darf höchstens {n:number} Zeichen haben" },
  { en: "must be at most 2,048 characters", de: "darf höchstens 2.048 Zeichen haben" },
  { en: "must be one line of text without control characters", de: "muss eine Zeile Text ohne Steuerzeichen sein" },
  { en: "must be text without control characters", de: "muss Text ohne Steuerzeichen sein" },
  { en: "must be an e-mail address", de: "muss eine E-Mail-Adresse sein" },
  {
    en: "must not be made from your e-mail address or your name",
    de: "darf nicht aus Ihrer E-Mail-Adresse oder Ihrem Namen gebildet sein"
  },
  {
    en: "is one of the passwords that attackers try first. Choose another one, for example four words that do not belong together",
    de: "gehört zu den Passwörtern, die Angreifer zuerst probieren. Wählen Sie ein anderes, zum Beispiel vier Wörter, die nicht zusammengehören"
  },
  { en: "is the address that you have", de: "ist die Adresse, die Sie schon haben" },
  {
    en: "must be the IANA name of a time zone, such as Europe/Amsterdam",
    de: "muss der IANA-Name einer Zeitzone sein, zum Beispiel Europe/Berlin"
  },
  {
    en: "must be an ISO 8601 timestamp with a zone, such as 2026-01-31T09:30:00.000Z",
    de: "muss ein Zeitpunkt nach ISO 8601 mit Zone sein, zum Beispiel 2026-01-31T09:30:00.000Z"
  },
  { en: "must be a number from {from} to {to}", de: "muss eine Zahl von {from} bis {to} sein" },
  {
    en: "must be a whole number from {from:number} to {to:number}",
    de: "muss eine ganze Zahl von {from:number} bis {to:number} sein"
  },
  {
    en: "must be 30, 90, 365 or null, which is for ever",
    de: "muss 30, 90, 365 oder null sein; null heißt: ohne Ende"
  },
  {
    en: "must be 3 to 40 characters of a-z, 0-9 and _, starting with a letter",
    de: "muss 3 bis 40 Zeichen aus a-z, 0-9 und _ haben und mit einem Buchstaben beginnen"
  },
  { en: "must name at least one sensitive scope", de: "muss mindestens einen sensiblen Scope nennen" },
  { en: "must name at least one scope", de: "muss mindestens einen Scope nennen" },
  { en: "must name at least one address", de: "muss mindestens eine Adresse nennen" },
  { en: "must name at most {n:number} addresses", de: "darf höchstens {n:number} Adressen nennen" },
  { en: "is the same as an earlier one", de: "ist dieselbe wie eine frühere" },
  {
    en: "must not have code, state, iss, error or error_… in its query: we add them",
    de: "darf in der Abfrage weder code, state, iss, error noch error_… haben: wir fügen sie an"
  },
  {
    en: "must be an absolute http or https address without credentials",
    de: "muss eine vollständige http- oder https-Adresse ohne Zugangsdaten sein"
  },
  {
    en: "must be an absolute https address (http for localhost, or a private scheme such as com.example.app:) without fragment or credentials",
    de: "muss eine vollständige https-Adresse ohne Fragment und Zugangsdaten sein (http für localhost, oder ein eigenes Schema wie com.example.app:)"
  },
  { en: "must be an absolute https address", de: "muss eine vollständige https-Adresse sein" },
  { en: "must begin with https://", de: "muss mit https:// beginnen" },
  { en: "must not carry a user name or password", de: "darf keinen Benutzernamen und kein Passwort enthalten" },
  { en: "must have a port from 1 to 65,535", de: "muss einen Port von 1 bis 65.535 haben" },
  { en: "must not have a fragment (#…)", de: "darf kein Fragment (#…) haben" },
  { en: "must name a host, not an IP address", de: "muss einen Host nennen, keine IP-Adresse" },
  {
    en: "must be a public host name (not localhost, .local, .internal or a single label)",
    de: "muss ein öffentlicher Hostname sein (nicht localhost, .local, .internal und kein Name ohne Punkt)"
  },
  { en: "must be a PNG file in base64", de: "muss eine PNG-Datei in Base64 sein" },
  { en: "must be at most {n:number} KiB", de: "darf höchstens {n:number} KiB haben" },
  { en: "must not be animated", de: "darf nicht animiert sein" },
  {
    en: "must be square, from {min:number} to {max:number} pixels wide",
    de: "muss quadratisch sein und {min:number} bis {max:number} Pixel breit"
  },
  { en: "is not one of the scopes that the app declares", de: "ist keiner der Scopes, die die App angibt" },
  {
    en: "{scope} is not among the scopes that the app declares",
    de: "{scope} gehört nicht zu den Scopes, die die App angibt"
  },
  { en: "{scope} needs a purpose that the app may use", de: "{scope} braucht einen Zweck, den die App verwenden darf" },
  {
    en: "must name only places of yours that are not archived",
    de: "darf nur Orte von Ihnen nennen, die nicht archiviert sind"
  },
  { en: "must be among your places", de: "muss zu Ihren Orten gehören" },
  { en: "must be at most {n:number} places", de: "dürfen höchstens {n:number} Orte sein" },
  { en: "must be at most {n:number}", de: "dürfen höchstens {n:number} sein" },
  {
    en: "must be 1 to 64 letters, digits and hyphens",
    de: "muss aus 1 bis 64 Buchstaben, Ziffern und Bindestrichen bestehen"
  },
  {
    en: "must not be a header with a meaning in HTTP or in webhooks",
    de: "darf kein Header sein, der in HTTP oder in Webhooks eine Bedeutung hat"
  },
  {
    en: "must be 1 to {n:number} visible ASCII characters",
    de: "muss aus 1 bis {n:number} sichtbaren ASCII-Zeichen bestehen"
  },
  { en: "must be allow or cancel", de: "muss allow oder cancel sein" },
  {
    en: "must be allow, cancel or, in a renewal, stop",
    de: "muss allow oder cancel sein, bei einer Verlängerung auch stop"
  },
  {
    en: "must be among the scopes that the app asked for",
    de: "muss zu den Berechtigungen gehören, um die die App gebeten hat"
  },
  { en: "choose at least one, or cancel", de: "wählen Sie mindestens eine, oder brechen Sie ab" },
  { en: "choose at least one, or disconnect the app", de: "wählen Sie mindestens eine, oder trennen Sie die App" },
  { en: "must be 1, 7, 30, 90 or never", de: "muss 1, 7, 30, 90 oder never sein" },
  { en: "must be 1, 7, 30 or 90", de: "muss 1, 7, 30 oder 90 sein" },
  { en: "must be hour, day or until_resumed", de: "muss hour, day oder until_resumed sein" },
  {
    en: "must be among those that you agreed to before; the app must ask for others",
    de: "muss zu denen gehören, denen Sie schon zugestimmt haben; um andere muss die App bitten"
  },
  {
    en: "cannot include what needs a purpose: the app has none for it now",
    de: "kann nicht enthalten, was einen Zweck braucht: Die App hat dafür gerade keinen"
  },
  {
    en: "must be left out while the app has no exact location",
    de: "muss fehlen, solange die App keinen genauen Standort hat"
  },
  {
    en: "must be chosen: exact location has ended",
    de: "muss gewählt werden: Der genaue Standort ist beendet"
  },
  { en: "must not be in the future", de: "darf nicht in der Zukunft liegen" },
  { en: "must be later than from", de: "muss nach „Von“ liegen" },
  { en: "must be at most 31 days later than from", de: "darf höchstens 31 Tage nach dem Anfang liegen" },
  { en: "must be after from", de: "muss nach dem Anfang liegen" },
  { en: "must be at most {n:number} days after from", de: "darf höchstens {n:number} Tage nach dem Anfang liegen" },
  { en: "is missing: a rejection says what to change", de: "fehlt: Eine Ablehnung sagt, was zu ändern ist" },
  { en: "need a second factor: set one up first", de: "brauchen einen zweiten Faktor: Richten Sie zuerst einen ein" },
  {
    en: "was not issued for this list; start again without it",
    de: "gehört nicht zu dieser Liste; beginnen Sie ohne diese Angabe neu"
  },
  {
    en: "must be left out with endpoint_id: the endpoint's own are used",
    de: "muss neben endpoint_id fehlen: Es gelten die des Endpunkts"
  },
  {
    en: "must all be set again or removed, because the address has another origin",
    de: "müssen alle neu gesetzt oder entfernt werden, weil die Adresse einen anderen Ursprung hat"
  },
  {
    en: "can only be set to true: endpoints are disabled by the service, or removed",
    de: "kann nur auf true gesetzt werden: Endpunkte schaltet der Dienst ab, oder sie werden entfernt"
  },
  {
    en: "is {what:text}: choose GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, an OwnTracks log, a Google Timeline or Takeout, or an archive of this service",
    de: "ist {what:text}: Wählen Sie GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, ein OwnTracks-Protokoll, eine Google-Zeitachse oder ein Takeout, oder ein Archiv dieses Dienstes"
  },
  {
    en: "is a text without columns for latitude, longitude and time: choose GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, an OwnTracks log, a Google Timeline or Takeout, or an archive of this service",
    de: "ist ein Text ohne Spalten für Breite, Länge und Zeit: Wählen Sie GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, ein OwnTracks-Protokoll, eine Google-Zeitachse oder ein Takeout, oder ein Archiv dieses Dienstes"
  },
  {
    en: "is of a kind that is not read here: choose GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, an OwnTracks log, a Google Timeline or Takeout, or an archive of this service",
    de: "ist von einer Art, die hier nicht gelesen wird: Wählen Sie GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, ein OwnTracks-Protokoll, eine Google-Zeitachse oder ein Takeout, oder ein Archiv dieses Dienstes"
  },
  { en: "a photo (JPEG)", de: "ein Foto (JPEG)" },
  { en: "a picture (PNG)", de: "ein Bild (PNG)" },
  { en: "a photo (HEIC)", de: "ein Foto (HEIC)" },
  { en: "a picture (GIF)", de: "ein Bild (GIF)" },
  { en: "a picture (WebP)", de: "ein Bild (WebP)" },
  { en: "a video", de: "ein Video" },
  { en: "a sound file", de: "eine Tondatei" },
  { en: "a PDF document", de: "ein PDF-Dokument" },
  { en: "a web page", de: "eine Webseite" },
  { en: "a database file (SQLite)", de: "eine Datenbankdatei (SQLite)" },
  { en: "a RAR archive", de: "ein RAR-Archiv" },
  { en: "a 7z archive", de: "ein 7z-Archiv" },
  { en: "a file packed with bzip2", de: "eine mit bzip2 gepackte Datei" },
  { en: "a file packed with xz", de: "eine mit xz gepackte Datei" },
  { en: "a file packed with zstd", de: "eine mit zstd gepackte Datei" },
  { en: "a program", de: "ein Programm" },
  {
    en: "must be a complete file of recorded positions: GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, an OwnTracks log or a Google Timeline",
    de: "muss eine vollständige Datei mit aufgezeichneten Positionen sein: GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, ein OwnTracks-Protokoll oder eine Google-Zeitachse"
  },
  { en: "must not be repeated", de: "darf nur einmal vorkommen" },
  { en: "must be a name in the first line of the table", de: "muss ein Name in der ersten Zeile der Tabelle sein" },
  { en: "must be a column that has no other meaning", de: "muss eine Spalte sein, die keine andere Bedeutung hat" },
  {
    en: "is needed, because another column is named",
    de: "ist nötig, weil eine andere Spalte genannt ist"
  },
  { en: "must have at least one reading", de: "muss mindestens eine Messung haben" },
  {
    en: "must span less time: when the last reading is moved to the present, the first is before the year 0",
    de: "muss weniger Zeit umfassen: Wird die letzte Messung in die Gegenwart verschoben, liegt die erste vor dem Jahr 0"
  },
  { en: "must have at most {n:number} readings", de: "darf höchstens {n:number} Messungen haben" },
  {
    en: "must have at most {n:number} entries, with those that are no readings",
    de: "darf höchstens {n:number} Einträge haben, auch solche mitgezählt, die keine Messungen sind"
  },
  {
    en: "must unpack to at most {n:number} MiB, and must not be built like a packed file that does harm",
    de: "darf ausgepackt höchstens {n:number} MiB groß sein und nicht wie eine gepackte Datei gebaut sein, die Schaden anrichtet"
  },
  { en: "must name at least one place", de: "muss mindestens einen Ort nennen" },
  { en: "must name at most {n:number} places", de: "darf höchstens {n:number} Orte nennen" },
  { en: "must be one of {what}", de: "muss eines davon sein: {what}" },
  { en: "must be a string", de: "muss Text sein" },
  {
    en: "is required for {type} rules and must be a whole number from {from:number} to {to:number}",
    de: "ist für Regeln der Art {type} nötig und muss eine ganze Zahl von {from:number} bis {to:number} sein"
  },
  {
    en: "must be in the future: this window is closed already",
    de: "muss in der Zukunft liegen: Dieses Zeitfenster ist schon vorbei"
  },
  {
    en: "must be greater than settle_s: an event is written settle_s after it occurred",
    de: "muss größer als settle_s sein: Ein Ereignis wird settle_s nach seinem Zeitpunkt geschrieben"
  },
  {
    en: "must be greater than silence_s: an event is written silence_s after it occurred",
    de: "muss größer als silence_s sein: Ein Ereignis wird silence_s nach seinem Zeitpunkt geschrieben"
  },
  { en: "must be after active_from", de: "muss nach active_from liegen" },
  { en: "is missing", de: "fehlt" },
  { en: "is not expected", de: "wird nicht erwartet" },
  { en: "is not valid", de: "ist nicht gültig" },
  { en: "must be a number", de: "muss eine Zahl sein" },
  { en: "must be a whole number", de: "muss eine ganze Zahl sein" },
  { en: "must be a string or null", de: "muss Text oder null sein" },
  { en: "must be a number or null", de: "muss eine Zahl oder null sein" },
  { en: "must be true or false", de: "muss true oder false sein" },
  { en: "must be an object", de: "muss ein Objekt sein" },
  { en: "must be an array", de: "muss eine Liste sein" },
  { en: "must be “{word}”", de: "muss „{word}“ sein" }
]
