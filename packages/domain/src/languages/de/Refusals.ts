import type { GermanPair } from "../GermanPair.js"

/** Texts about refused requests, failed imports, deliveries that are not sent again, and the strength of passwords. */
export const refusals: ReadonlyArray<GermanPair> = [
  {
    en: "confirm your e-mail address first: the settings mail you a link",
    de: "bestätigen Sie zuerst Ihre E-Mail-Adresse: Die Einstellungen schicken Ihnen einen Link"
  },
  { en: "the e-mail address is taken", de: "die E-Mail-Adresse ist vergeben" },
  { en: "sign-up is closed", de: "die Registrierung ist geschlossen" },
  {
    en: "This account is suspended: those who run this service paused it. Nothing is deleted. Ask them why, and for how long",
    de: "Dieses Konto ist gesperrt: Die Betreiber dieses Dienstes haben es angehalten. Nichts ist gelöscht. Fragen Sie sie nach dem Grund und der Dauer"
  },
  {
    en: "you are the only admin: the service needs another one first",
    de: "Sie sind der einzige Administrator: Der Dienst braucht zuerst einen anderen"
  },
  {
    en: "this is the only admin: the service needs another one first",
    de: "das ist der einzige Administrator: Der Dienst braucht zuerst einen anderen"
  },
  { en: "an archived place cannot be changed", de: "ein archivierter Ort kann nicht geändert werden" },
  {
    en: "an account can have {n:number} places; archive one that you no longer need",
    de: "ein Konto kann {n:number} Orte haben; archivieren Sie einen, den Sie nicht mehr brauchen"
  },
  {
    en: "an account with {n:number} archived places gets no more of them from an archive; an import leaves these out",
    de: "ein Konto mit {n:number} archivierten Orten bekommt aus einem Archiv keine weiteren; ein Import lässt sie aus"
  },
  {
    en: "an account can have {n:number} devices; remove one that you no longer use",
    de: "ein Konto kann {n:number} Geräte haben; entfernen Sie eines, das Sie nicht mehr verwenden"
  },
  {
    en: "an account can have {n:number} apps; change one that you no longer need, or ask those who run this service",
    de: "ein Konto kann {n:number} Apps haben; ändern Sie eine, die Sie nicht mehr brauchen, oder fragen Sie die Betreiber dieses Dienstes"
  },
  {
    en: "an app can have {n:number} purposes, archived ones included; edit one that exists",
    de: "eine App kann {n:number} Zwecke haben, archivierte mitgezählt; bearbeiten Sie einen, den es gibt"
  },
  {
    en: "an app can have {n:number} webhook endpoints; remove one first",
    de: "eine App kann {n:number} Webhook-Endpunkte haben; entfernen Sie zuerst einen"
  },
  {
    en: "a connection can have {n:number} rules, each counted until a day after the end of its window; remove one, or wait",
    de: "eine Verbindung kann {n:number} Regeln haben, und jede zählt bis einen Tag nach dem Ende ihres Zeitfensters; entfernen Sie eine, oder warten Sie"
  },
  {
    en: "an app can have {n:number} test people; remove one first",
    de: "eine App kann {n:number} Testpersonen haben; entfernen Sie zuerst eine"
  },
  {
    en: "an account can simulate {n:number} trips in an hour; wait and try again",
    de: "ein Konto kann in einer Stunde {n:number} Wege simulieren; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an app in production has no test people; make another app, which begins in the sandbox",
    de: "eine produktive App hat keine Testpersonen; legen Sie eine weitere App an, die in der Sandbox beginnt"
  },
  { en: "the account of the app's holder is suspended", de: "das Konto des Inhabers der App ist gesperrt" },
  {
    en: "the phone has just sent a reading; wait a moment",
    de: "das Handy hat gerade eine Messung gesendet; warten Sie einen Augenblick"
  },
  {
    en: "a stay lies after the newest reading of the phone, and the phone sent one a moment ago; make another test person",
    de: "ein Aufenthalt liegt nach der neuesten Messung des Handys, und das Handy hat gerade eine gesendet; legen Sie eine weitere Testperson an"
  },
  {
    en: "a stay lies after the newest reading of the phone: at most {n:number} minutes now, or make another test person",
    de: "ein Aufenthalt liegt nach der neuesten Messung des Handys: jetzt höchstens {n:number} Minuten, oder legen Sie eine weitere Testperson an"
  },
  {
    en: "{n:number} are listening to this app already; stop one, or wait up to a quarter of an hour if its machine disappeared",
    de: "{n:number} hören dieser App schon zu; stoppen Sie einen, oder warten Sie bis zu einer Viertelstunde, falls sein Rechner verschwunden ist"
  },
  {
    en: "an account can make {n:number} places, devices, apps, purposes and test people in a day, moves of places included; wait and try again",
    de: "ein Konto kann an einem Tag {n:number} Orte, Geräte, Apps, Zwecke und Testpersonen anlegen, Verschiebungen von Orten eingerechnet; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an account can send {n:number} test webhooks in an hour; wait and try again",
    de: "ein Konto kann in einer Stunde {n:number} Test-Webhooks senden; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an account can redeliver {n:number} webhooks in an hour; wait and try again",
    de: "ein Konto kann in einer Stunde {n:number} Webhooks erneut senden; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an account can make {n:number} new secrets in a day; wait and try again",
    de: "ein Konto kann an einem Tag {n:number} neue Geheimnisse anlegen; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an account can hand over {n:number} apps in a day; wait and try again",
    de: "ein Konto kann an einem Tag {n:number} Apps übergeben; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an account can change its name {n:number} times in a day; wait and try again",
    de: "ein Konto kann seinen Namen an einem Tag {n:number} Mal ändern; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an account can set {n:number} webhook addresses in an hour; wait and try again",
    de: "ein Konto kann in einer Stunde {n:number} Webhook-Adressen festlegen; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an account or a connection can send {n:number} requests with an Idempotency-Key in a day; wait, or send no key",
    de: "ein Konto oder eine Verbindung kann an einem Tag {n:number} Anfragen mit einem Idempotency-Key senden; warten Sie, oder senden Sie keinen Schlüssel"
  },
  {
    en: "an account can open {n:number} consent pages in an hour; wait and try again",
    de: "ein Konto kann in einer Stunde {n:number} Zustimmungsseiten öffnen; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "an address can open {n:number} consent pages in a minute; wait and try again",
    de: "eine Adresse kann in einer Minute {n:number} Zustimmungsseiten öffnen; warten Sie, und versuchen Sie es wieder"
  },
  {
    en: "a connection can have {n:number} subscriptions; remove one first",
    de: "eine Verbindung kann {n:number} Abonnements haben; entfernen Sie zuerst eines"
  },
  {
    en: "at most {n:number} deleted stretches can be remembered; delete one long stretch instead",
    de: "es können höchstens {n:number} gelöschte Abschnitte vermerkt werden; löschen Sie stattdessen einen langen Abschnitt"
  },
  { en: "the connection has ended", de: "die Verbindung ist beendet" },
  {
    en: "there is no exact location to give back",
    de: "es gibt keinen genauen Standort, den Sie wieder freigeben können"
  },
  {
    en: "there is an app for one-time codes already: remove it first",
    de: "es gibt schon eine App für Einmalcodes: Entfernen Sie sie zuerst"
  },
  { en: "the account has this passkey already", de: "das Konto hat diesen Passkey schon" },
  {
    en: "an account can have {n:number} passkeys: remove one first",
    de: "ein Konto kann {n:number} Passkeys haben: Entfernen Sie zuerst einen"
  },
  { en: "the account has no second factor", de: "das Konto hat keinen zweiten Faktor" },
  {
    en: "An archive is being made already: wait until it is ready",
    de: "Ein Archiv wird schon erstellt: Warten Sie, bis es fertig ist"
  },
  {
    en: "There is an archive already: fetch it, or delete it to ask for a newer one",
    de: "Es gibt schon ein Archiv: Laden Sie es herunter, oder löschen Sie es, um ein neueres anzufordern"
  },
  {
    en: "You asked for {n:number} archives within 24 hours: ask again after {at:moment}",
    de: "Sie haben innerhalb von 24 Stunden {n:number} Archive angefordert: Versuchen Sie es wieder nach diesem Zeitpunkt: {at:moment}"
  },
  { en: "The archive is still being made", de: "Das Archiv wird noch erstellt" },
  { en: "The archive could not be made", de: "Das Archiv konnte nicht erstellt werden" },
  { en: "The upload was stopped", de: "Das Hochladen wurde abgebrochen" },
  {
    en: "At most {n:number} imports with {size:number} MiB of files can wait: let one finish, or remove one",
    de: "Höchstens {n:number} Importe mit Dateien von {size:number} MiB können warten: Lassen Sie einen fertig werden, oder entfernen Sie einen"
  },
  {
    en: "This is no file of location history. GPX, KML, GeoJSON, TCX, FIT, CSV, OwnTracks logs, Google's files and archives of this service are read.",
    de: "Das ist keine Datei mit Standortverlauf. GPX, KML, GeoJSON, TCX, FIT, CSV, OwnTracks-Protokolle, Dateien von Google und Archive dieses Dienstes werden gelesen."
  },
  {
    en: "None of the files in this archive has location history. GPX, KML, GeoJSON, TCX, FIT, CSV, OwnTracks logs and Google's files are read. A Google Takeout since 2024 lacks the Timeline: export the Timeline on your phone.",
    de: "Keine der Dateien in diesem Archiv hat Standortverlauf. GPX, KML, GeoJSON, TCX, FIT, CSV, OwnTracks-Protokolle und Dateien von Google werden gelesen. Einem Google Takeout seit 2024 fehlt die Zeitachse: Exportieren Sie die Zeitachse auf Ihrem Handy."
  },
  {
    en: "The first line of the table does not name the columns of time, latitude and longitude.",
    de: "Die erste Zeile der Tabelle nennt nicht die Spalten für Zeit, Breite und Länge."
  },
  {
    en: "The file is damaged and cannot be read to its end.",
    de: "Die Datei ist beschädigt und kann nicht bis zum Ende gelesen werden."
  },
  {
    en: "The file ends in the middle: it was probably not copied completely.",
    de: "Die Datei endet in der Mitte: Sie wurde wahrscheinlich nicht ganz kopiert."
  },
  { en: "What was read before that is stored.", de: "Was davor gelesen wurde, ist gespeichert." },
  {
    en: "The file has no recorded positions. Routes and waypoints do not say where somebody was.",
    de: "Die Datei hat keine aufgezeichneten Positionen. Routen und Wegpunkte sagen nicht, wo jemand war."
  },
  {
    en: "This archive was not made by this service. Unpack it and choose the files of location history inside.",
    de: "Dieses Archiv stammt nicht von diesem Dienst. Entpacken Sie es, und wählen Sie die Dateien mit Standortverlauf darin."
  },
  {
    en: "The archive is damaged: it was probably not copied completely.",
    de: "Das Archiv ist beschädigt: Es wurde wahrscheinlich nicht ganz kopiert."
  },
  {
    en: "The archive was changed after it was made: a file in it is not as its manifest says.",
    de: "Das Archiv wurde geändert, nachdem es erstellt war: Eine Datei darin ist nicht so, wie sein Verzeichnis sagt."
  },
  {
    en: "The archive has a format that this service cannot read, because a newer service made it.",
    de: "Das Archiv hat ein Format, das dieser Dienst nicht lesen kann, weil ein neuerer Dienst es erstellt hat."
  },
  {
    en: "The archive is refused, because it is built like one that harms who opens it.",
    de: "Das Archiv wird abgelehnt, weil es so gebaut ist wie eines, das beim Öffnen Schaden anrichtet."
  },
  { en: "Nothing of it was stored.", de: "Nichts davon wurde gespeichert." },
  {
    en: "The file could not be read to its end, although it was tried {n:number} times.",
    de: "Die Datei konnte nicht bis zum Ende gelesen werden, obwohl es {n:number} Mal versucht wurde."
  },
  { en: "Imported file", de: "Importierte Datei" },
  { en: "the app was revoked", de: "die App wurde widerrufen" },
  { en: "the app no longer exists", de: "die App gibt es nicht mehr" },
  { en: "the app was revoked, which is final", de: "die App wurde widerrufen, und das ist endgültig" },
  {
    en: "the app was revoked, so it gets no events",
    de: "die App wurde widerrufen, deshalb bekommt sie keine Ereignisse"
  },
  { en: "the app is not in review", de: "die App ist nicht in Prüfung" },
  { en: "no change to the app waits for a reviewer", de: "keine Änderung an der App wartet auf eine Prüfung" },
  {
    en: "scopes cannot be added while the app is in review",
    de: "Scopes können nicht hinzugefügt werden, während die App in Prüfung ist"
  },
  { en: "the app is in review already", de: "die App ist schon in Prüfung" },
  { en: "the app is in production", de: "die App ist in Produktion" },
  {
    en: "the app has no client secret yet: register redirect URIs first",
    de: "die App hat noch kein Client-Secret: Registrieren Sie zuerst Redirect-URIs"
  },
  { en: "the app has, or had, a purpose with this key", de: "die App hat oder hatte einen Zweck mit diesem Schlüssel" },
  { en: "the purpose is archived, which is final", de: "der Zweck ist archiviert, und das ist endgültig" },
  { en: "the purpose is not in review", de: "der Zweck ist nicht in Prüfung" },
  { en: "the purpose is in review already", de: "der Zweck ist schon in Prüfung" },
  {
    en: "the purpose is approved as it is; an edit of it goes into review by itself",
    de: "der Zweck ist so genehmigt, wie er ist; eine Änderung daran geht von selbst in die Prüfung"
  },
  {
    en: "it was changed meanwhile: read it again, and name the revision that the decision is about",
    de: "es wurde inzwischen geändert: Lesen Sie es neu, und nennen Sie die Fassung, über die Sie entscheiden"
  },
  { en: "it was changed since the form was opened", de: "es wurde geändert, seit das Formular geöffnet wurde" },
  { en: "This is for reviewers and admins", de: "Das ist nur für die Rollen Prüfer und Administrator" },
  { en: "This is for admins", de: "Das ist nur für die Rolle Administrator" },
  {
    en: "This is your own: another reviewer decides about it",
    de: "Das gehört Ihnen: Darüber entscheidet jemand anderes"
  },
  { en: "It is still being attempted", de: "Es wird noch versucht" },
  { en: "The event is older than its rule allows", de: "Das Ereignis ist älter, als seine Regel erlaubt" },
  { en: "The endpoint was removed", de: "Der Endpunkt wurde entfernt" },
  { en: "The endpoint is disabled: enable it first", de: "Der Endpunkt ist abgeschaltet: Schalten Sie ihn zuerst ein" },
  { en: "It is not being attempted any more. {why:text}", de: "Es wird nicht mehr versucht. {why:text}" },
  { en: "It was sent again, as a row of its own", de: "Es wurde noch einmal gesendet, als eigene Zeile" },
  {
    en: "It is not being attempted any more: redeliver it",
    de: "Es wird nicht mehr versucht: Stellen Sie es noch einmal zu"
  },
  { en: "It is not being attempted any more", de: "Es wird nicht mehr versucht" },
  {
    en: "The endpoint is disabled: events are not sent there until you enable it.",
    de: "Der Endpunkt ist abgeschaltet: Ereignisse werden nicht dorthin gesendet, bis Sie ihn einschalten."
  },
  { en: "The receiver answered {status:number}.", de: "Der Empfänger hat mit {status:number} geantwortet." },
  {
    en: "The receiver answered {status:number}; only 2xx counts as delivered.",
    de: "Der Empfänger hat mit {status:number} geantwortet; nur 2xx gilt als zugestellt."
  },
  {
    en: "Not sent, and not the receiver's fault: {what:text}",
    de: "Nicht gesendet, und der Empfänger ist nicht schuld: {what:text}"
  },
  {
    en: "The link names no app that is known here (client_id).",
    de: "Der Link nennt keine App, die hier bekannt ist (client_id)."
  },
  {
    en: "The address to go back to (redirect_uri) is not one that the app registered.",
    de: "Die Adresse für den Rückweg (redirect_uri) hat die App nicht registriert."
  },
  {
    en: "The link carries no usable state parameter (8 to 512 characters in UTF-8).",
    de: "Der Link hat keinen brauchbaren Parameter state (8 bis 512 Zeichen in UTF-8)."
  },
  {
    en: "It is weak: a program that knows how people choose passwords may guess it. One more word makes it better.",
    de: "Es ist schwach: Ein Programm, das weiß, wie Menschen Passwörter wählen, kann es vielleicht erraten. Ein weiteres Wort macht es besser."
  },
  {
    en: "It is fairly good. One more word would make it hard to guess even for a patient attacker.",
    de: "Es ist recht gut. Mit einem weiteren Wort wäre es auch für geduldige Angreifer schwer zu erraten."
  },
  {
    en: "It is strong: guessing it would take far longer than anybody tries.",
    de: "Es ist stark: Es zu erraten würde viel länger dauern, als es jemand versucht."
  }
]
