import { html } from "../../html/Html.js"
import type * as en from "../en/settings.js"
import { plural } from "./words.js"

export const settings: typeof en.settings = {
  title: "Einstellungen",
  save: "Speichern",
  groups: { data: "Ihre Daten", account: "Anmeldung", pages: "Seiten und E-Mails" },
  imports: {
    heading: "Frühere Daten hinzufügen",
    text: "GPX, KML, FIT, CSV und andere, eine Google-Zeitachse oder ein Takeout, oder ein Archiv dieses Dienstes.",
    open: "Datei importieren…"
  },
  history: {
    heading: "Wie lange Ihr Standortverlauf behalten wird",
    present: (age) => html`Jetzt: ${age}.`,
    open: "Wählen…",
    text: "Ihr Standortverlauf ist, wo Ihre Handys waren, und wann Sie an Ihren Orten ankamen und weggingen. Er wird für immer behalten, wenn Sie hier nichts anderes wählen. Apps, denen Sie den Blick zurück erlaubt haben, sehen nicht weiter zurück, als Sie wählen. Was älter ist, wird jede Stunde endgültig gelöscht, und was ein Handy Älteres sendet, wird nicht gespeichert.",
    log: "Ihr Zugriffsprotokoll wird getrennt behalten: Sie können die Abfragen der Apps 400 Tage lang lesen.",
    field: "Wie lange",
    legend: "Meinen Standortverlauf behalten",
    none: "Sie haben zurzeit keinen Standortverlauf.",
    stored: "Gespeichert",
    since: "Seit",
    nextDeletion: "Nächste Löschung",
    never: "Nie, wenn Sie keine Grenze wählen",
    hourly: (age) => html`Jede Stunde: was bis dahin ${age} alt ist`,
    next: (at, age) => html`${at}: was bis dahin ${age} alt ist`,
    extent: (locations, visits) =>
      `${plural(locations, "Standort", "Standorte")} und ${plural(visits, "Eintrag zu einem Besuch", "Einträge zu Besuchen")}`
  },
  keepLess: {
    title: "Weniger vom Standortverlauf behalten?",
    heading: (age) => html`Nur ${age} behalten?`,
    going: (extent, oldest) =>
      html`<strong>${extent} würden endgültig gelöscht</strong>${oldest !== null && html`, zurück bis ${oldest}`}. Apps
        sehen sie sofort nicht mehr; niemand kann sie zurückholen.`,
    confirm: (age) => html`Löschen und ${age} behalten`,
    cancel: "Nichts ändern"
  },
  name: {
    heading: "Ihr Name",
    present: (name) => html`Andere lesen <strong>${name}</strong>.`,
    change: "Meinen Namen ändern…",
    lead: "Teams, zu denen Sie gehören, und die Prüfer von Apps lesen diesen Namen. Wenn Sie eine App halten, zeigt ihn auch deren Zustimmungsseite. Apps, die Sie verbinden, bekommen ihn nicht.",
    field: "Name"
  },
  timeZone: {
    heading: "Ihre Zeitzone",
    unknown: "Ihr Browser hat nicht gesagt, wo Sie sind; deshalb zeigen Seiten Zeiten in UTC.",
    present: (zone) => html`Seiten zeigen Zeiten wie in <strong>${zone}</strong>. E-Mails auch.`,
    choose: "Andere wählen…",
    lead: (now) =>
      html`In der gewählten Zone ist es jetzt: ${now}. Die Tage Ihres Verlaufs beginnen um Mitternacht dieser Zone.`,
    field: "Zeitzone"
  },
  language: {
    heading: "Ihre Sprache",
    ofBrowser: "Seiten sind in der Sprache Ihres Browsers, wenn wir sie haben.",
    present: (language) => html`Seiten und E-Mails sind auf ${language}.`,
    choose: "Andere wählen…",
    lead: "Die Sprache von Seiten und E-Mails. Mit der Sprache Ihres Browsers zeigt jeder Browser Seiten in seiner eigenen, und E-Mails sind in der Sprache des ersten Browsers, mit dem Sie sich angemeldet haben.",
    field: "Sprache",
    browser: "Sprache des Browsers"
  },
  mails: {
    heading: "Welche E-Mails Sie bekommen",
    none: "E-Mails zu Ihren Entscheidungen und zur Sicherheit Ihres Kontos, sonst nichts.",
    present: (kinds) => html`Neben E-Mails zu Ihren Entscheidungen und zur Sicherheit Ihres Kontos: ${kinds}.`,
    choose: "E-Mails wählen…",
    lead: "Kreuzen Sie an, worüber Sie Bescheid wissen möchten. Von jeder Art bekommen Sie höchstens eine E-Mail am Tag, über Apps, die ungewöhnlich oft abfragen, eine für jede App.",
    legend: "E-Mail an mich",
    kinds: {
      asked_often: {
        name: "Wenn eine App ungewöhnlich oft fragt",
        inLine: "wenn eine App ungewöhnlich oft fragt",
        hint: "Mindestens 50 Abfragen an einem Tag und mehr als dreimal so viele wie am stärksten Tag der zwei Wochen davor."
      },
      phone_silent: {
        name: "Wenn mein Handy nichts sendet",
        inLine: "wenn Ihr Handy nichts sendet",
        hint: "Es hat einen Tag lang keinen Standort gesendet. Eine E-Mail für jedes Mal."
      },
      ends: {
        name: "Wenn etwas endet",
        inLine: "wenn etwas endet",
        hint: "Zwei Tage bevor eine Verbindung endet oder eine App Ihren genauen Standort nicht mehr bekommt."
      },
      weekly: {
        name: "Eine Zusammenfassung meiner Woche",
        inLine: "eine Zusammenfassung Ihrer Woche",
        hint: "Am Montagmorgen: welche Apps gefragt haben und wie oft."
      }
    },
    always: {
      heading: "Immer gesendet",
      text: "Wenn sich jemand in einem neuen Browser anmeldet, wenn Passwort, Adresse oder zweiter Faktor neu sind, und ein Beleg für jede Ihrer Entscheidungen über Apps. Wer Ihr Konto ohne Sie benutzt, darf diese E-Mails nicht abschalten können."
    }
  },
  address: {
    heading: "Ihre E-Mail-Adresse",
    text: (address, isMailed) =>
      isMailed
        ? `${address}. Damit melden Sie sich an, und dorthin schreiben wir.`
        : `${address}. Damit melden Sie sich an.`,
    open: "Ändern oder bestätigen…"
  },
  factor: {
    heading: "Ihr zweiter Faktor",
    text: "Ein Passkey oder ein Einmalcode neben Ihrem Passwort, damit das Passwort allein niemanden anmeldet.",
    open: "Passkeys und Codes…"
  },
  noMail: (page) =>
    html`Ihre E-Mail-Adresse ist nicht bestätigt, deshalb schicken wir keine E-Mails dorthin.
      <a href="${page}">Bestätigen Sie Ihre Adresse</a>`,
  serviceSendsNone: "Dieser Dienst sendet keine E-Mails.",
  export: { open: "Meine Daten mitnehmen…" },
  password: {
    heading: "Ihr Passwort",
    text: (isMailed) =>
      isMailed
        ? "Ein neues Passwort meldet alle anderen Browser ab. Wir schicken Ihnen dazu eine E-Mail."
        : "Ein neues Passwort meldet alle anderen Browser ab.",
    open: "Mein Passwort ändern…",
    title: "Passwort ändern",
    lead: "Alle anderen Browser werden abgemeldet. Dieser bleibt angemeldet.",
    present: "Ihr jetziges Passwort",
    wanted: "Neues Passwort",
    change: "Passwort ändern",
    forgotten: (page) => html`Sie wissen es nicht mehr? <a href="${page}">Per E-Mail ein neues setzen</a>`
  },
  passwordFaults: {
    missing: "muss angegeben werden",
    wrong: "ist falsch",
    tooOften: "wurde zu oft versucht. Versuchen Sie es später wieder"
  },
  sessions: {
    heading: "Wo Sie angemeldet sind",
    text: "Die Browser, in denen Sie angemeldet sind, jeder mit einem Knopf, der ihn abmeldet.",
    open: "Anzeigen",
    lead: "Ein Browser, der nicht benutzt wird, wird nach 14 Tagen abgemeldet, und jeder Browser 30 Tage nach der Anmeldung.",
    nowhereElse: "Sie sind sonst nirgends angemeldet.",
    unknown: (page) =>
      html`Sehen Sie einen Browser, den Sie nicht kennen? Melden Sie ihn ab,
        <a href="${page}">ändern Sie dann Ihr Passwort</a>, und sehen Sie bei Ihren Passkeys nach: Mit einem Passkey
        kann sich jemand wieder anmelden.`,
    someBrowser: "Ein Browser oder ein Programm",
    thisBrowser: "Dieser Browser",
    signedIn: "Angemeldet",
    address: "Netzadresse bei der Anmeldung",
    addressUnknown: "Nicht bekannt",
    lastUsed: "Zuletzt benutzt, auf die Stunde",
    now: "Jetzt",
    signOut: "Abmelden",
    signOutOf: (browser) => html`${browser} abmelden`,
    signOutOthers: "Überall sonst abmelden"
  },
  deletion: {
    heading: "Konto löschen",
    text: "Löscht alle Ihre Daten und trennt alle Apps. Die nächste Seite sagt genau, was, bevor Sie entscheiden.",
    open: "Mein Konto löschen…",
    lead: (address) => `Das löscht ${address} und alles darin, sofort. Es lässt sich nicht rückgängig machen.`,
    goes: {
      heading: "Was entfernt wird",
      apps: "Alle Apps werden in dem Moment getrennt: Die Tokens der Apps sind ungültig, ihre Regeln enden, und was noch zu senden war, wird nicht gesendet.",
      phones: "Ihre Handys können nichts mehr senden, und Sie sind überall abgemeldet.",
      data: "Ihre Orte, Ihr ganzer Standortverlauf, Besuche, importierte Dateien, Ihr Zugriffsprotokoll, Nachrichten an Sie, und Ihr Name, Ihre Adresse und Ihr Passwort werden innerhalb von Minuten entfernt. Die letzten Spuren, von Abfragen, die gerade liefen, sind einen Tag später weg."
    },
    stays: {
      heading: "Was bleibt",
      learned: "Apps behalten, was sie vorher über Sie erfahren haben. Bitten Sie sie, es zu löschen.",
      decisions: (nobody) =>
        `Was Sie als Prüfer oder Administrator entschieden oder getan haben, bleibt verzeichnet, mit „${nobody}“ anstelle Ihres Namens.`,
      teamwork: (nobody) =>
        `Was Sie im Team einer App getan haben, bleibt verzeichnet, mit „${nobody}“ anstelle Ihres Namens.`,
      backups: "Sicherungskopien dieses Dienstes, wenn es welche gibt, bis die Betreiber sie wegwerfen.",
      mail: "Eine E-Mail sagt Ihnen, dass es geschehen ist; danach vergessen wir Ihre Adresse. Sie können damit jederzeit ein neues Konto anlegen.",
      noMail: "Wir vergessen Ihre Adresse. Sie können damit jederzeit ein neues Konto anlegen."
    },
    owned: {
      heading: "Ihre Apps",
      text: "Eine App, die jemand anders mit besitzt, geht auf dessen Namen weiter. Die anderen enden mit Ihrem Konto: widerrufen, ohne Geheimnisse, Redirect-URIs und Webhook-Endpunkte. Wer sie benutzt, wird getrennt.",
      inherited: "wird von jemand anderem weitergeführt, der sie mit besitzt",
      entirely: "nur Sie konnten sie verbinden; sie wird ganz entfernt",
      unused:
        "niemand benutzt sie zurzeit; Name, Beschreibung und Zwecke bleiben für alle lesbar, die sie benutzt haben",
      used: (people) =>
        `${plural(people, "Person benutzt", "Personen benutzen")} sie zurzeit; Name, Beschreibung und Zwecke bleiben dafür lesbar`
    },
    lastAdmin: (accounts) =>
      html`<strong>Sie sind der einzige Administrator.</strong> Der Dienst braucht einen anderen, bevor Sie gehen
        können: Geben Sie jemand anderem die Rolle, unter <a href="${accounts}">Verwaltung: Konten</a>. Auch ein
        Betreiber kann das, mit dem Befehl des Servers.`,
    password: "Passwort",
    wordField: "Das Wort",
    word: "löschen",
    wordHint: (word) => html`Geben Sie <strong>${word}</strong> ein.`,
    wordFault: (word) => html`muss „${word}“ sein`,
    confirm: "Mein Konto endgültig löschen",
    done: {
      heading: "Ihr Konto ist gelöscht",
      text: "Apps können nichts mehr über Sie abfragen, und Ihre Handys können nichts mehr senden. Der Rest wird gerade entfernt.",
      mail: "Eine E-Mail bestätigt es.",
      phone: "Sie können die App, die Ihren Standort gesendet hat, von Ihrem Handy entfernen.",
      home: "Zur Startseite"
    }
  }
}

export const notices: typeof en.notices = {
  "place-created": "Der Ort ist angelegt. Keine App sieht ihn, bevor Sie ihn freigeben.",
  "place-changed": "Der Ort ist geändert.",
  "place-archived":
    "Der Ort ist archiviert. Apps können nicht mehr fragen, ob Sie dort sind. Apps, für die er freigegeben ist, können frühere Besuche dort weiterhin sehen, bis Sie diese Apps trennen.",
  "import-started": "Die Datei ist hochgeladen. Wir lesen sie im Hintergrund: Sie können diese Seite schließen.",
  "imports-started": "Die Dateien sind hochgeladen. Wir lesen sie im Hintergrund: Sie können diese Seite schließen.",
  "imports-asking":
    "Die Dateien sind hochgeladen. Wir lesen sie im Hintergrund, aber eine Tabelle wartet auf Ihre Antwort: Sagen Sie, welche ihrer Spalten gelesen werden.",
  "import-undone":
    "Der Import wird rückgängig gemacht. Seine Standorte und Besuche verschwinden in wenigen Minuten aus Ihrem Standortverlauf.",
  "import-removed": "Der Import ist entfernt. Ihr Standortverlauf behält, was daraus gespeichert war.",
  "export-requested": "Wir erstellen jetzt Ihr Archiv. Sie bekommen eine E-Mail, wenn es fertig ist.",
  "export-requested-no-mail":
    "Wir erstellen jetzt Ihr Archiv. Kommen Sie auf diese Seite zurück, um es herunterzuladen.",
  "export-confirmed": "Bestätigt. Sie können das Archiv jetzt herunterladen.",
  "export-deleted": "Das Archiv ist gelöscht. Ihre Daten bleiben, wie sie sind.",
  "device-removed": "Das Gerät ist entfernt. Ihr Standortverlauf behält, was es gesendet hat.",
  "device-changed": "Gespeichert. Die Änderung gilt ab der nächsten Messung des Geräts.",
  "password-changed": "Ihr Passwort ist geändert.",
  "address-asked":
    "Eine E-Mail an die neue Adresse ist unterwegs. Öffnen Sie den Link darin innerhalb von 24 Stunden in diesem Browser; bis dahin ändert sich nichts. Nach einigen Minuten keine E-Mail? Sehen Sie in den Spam-Ordner. Wir senden an eine Adresse höchstens drei Links in 24 Stunden.",
  "address-asked-no-mail":
    "Noch hat sich nichts geändert. Der Link kann nicht ankommen, weil dieser Dienst zurzeit keine E-Mails sendet.",
  "address-mailed":
    "Eine E-Mail mit einem Link ist unterwegs. Öffnen Sie den Link innerhalb von 24 Stunden in diesem Browser. Nach einigen Minuten keine E-Mail? Sehen Sie in den Spam-Ordner. Wir senden höchstens drei Links in einer halben Stunde.",
  "address-confirmed": "Ihre Adresse ist bestätigt.",
  "passkey-added": "Der Passkey ist hinzugefügt.",
  "passkey-is-there":
    "Der Passkey ist hinzugefügt. Wenn Sie Ihre Wiederherstellungscodes nicht aufbewahrt haben, erstellen Sie unten neue.",
  "passkey-removed": "Der Passkey ist entfernt. Er meldet niemanden mehr an.",
  "code-app-added": "Einmalcodes sind eingeschaltet. Ihre Wiederherstellungscodes bleiben, wie sie waren.",
  "code-app-is-on":
    "Einmalcodes sind eingeschaltet. Wenn Sie Ihre Wiederherstellungscodes nicht aufbewahrt haben, erstellen Sie unten neue.",
  "code-app-removed": "Die App ist entfernt. Sie können sie von Ihrem Handy löschen.",
  "factor-kept": "Ihr zweiter Faktor bleibt. Die Betreiber dieses Dienstes können ihn jetzt nicht entfernen.",
  "session-ended": "Der Browser ist abgemeldet.",
  "session-not-listed":
    "Kein Browser wurde abgemeldet: Der Eintrag ist beendet oder hat sich geändert. Sehen Sie die Liste noch einmal an.",
  "sessions-ended": "Alle anderen Browser sind abgemeldet.",
  "name-changed": "Gespeichert. Andere lesen ab jetzt den neuen Namen.",
  "zone-chosen": "Gespeichert. Seiten zeigen Zeiten von jetzt an in dieser Zone.",
  "language-chosen": "Gespeichert. Die Sprache gilt von jetzt an, für Seiten und für E-Mails, die wir senden.",
  "stretch-deleted": "Endgültig gelöscht. Was Apps vorher erfahren haben, behalten sie.",
  "notices-chosen":
    "Gespeichert. Wir schicken Ihnen E-Mails zu dem, was Sie angekreuzt haben, und zur Sicherheit Ihres Kontos.",
  "notices-chosen-no-mail":
    "Gespeichert. Zurzeit schicken wir Ihnen keine E-Mails. Die Seite, auf der Sie gewählt haben, sagt, warum.",
  "history-chosen": "Gespeichert. Es gilt ab jetzt.",
  disconnected: "Die App ist getrennt.",
  shared: "Die Orte, nach denen die App fragen darf, sind geändert.",
  paused:
    "Die App ist pausiert. Bis die Pause endet, erfährt sie nicht, wo Sie sind oder waren. Sie kann sehen, dass Sie sie pausiert haben.",
  resumed: "Die App kann wieder fragen. Die Regeln der App beginnen neu.",
  "all-paused":
    "Alle Apps sind pausiert. Bis ihre Pause endet, erfährt keine App, wo Sie sind oder waren. Die Apps können sehen, dass Sie sie pausiert haben.",
  "all-resumed": "Alle Apps können wieder fragen. Die Regeln der Apps beginnen neu.",
  "exact-location-ended": "Die App bekommt Ihren genauen Standort nicht mehr.",
  "exact-location-not-restored":
    "Noch hat sich nichts geändert: Die App bekommt Ihren genauen Standort weiterhin nicht.",
  "exact-location-restored": "Die App bekommt Ihren genauen Standort wieder, bis zum selben Datum wie vorher.",
  "permissions-changed": "Gespeichert. Die Änderung gilt ab jetzt.",
  "subscription-removed": "Die Adresse ist entfernt.",
  "rule-removed": "Die Regel ist entfernt.",
  "app-created": "Die App ist angelegt. Sie ist in der Sandbox: Nur Sie können sie verbinden.",
  "app-changed": "Die App ist geändert.",
  "app-change-waits":
    "Gespeichert. Was geprüft werden muss, wartet auf einen Prüfer. Bis zur Entscheidung gilt die genehmigte Fassung; Sie bekommen dann eine E-Mail.",
  "purpose-created": "Der Zweck ist angelegt. Ihre App kann ihn verwenden, solange sie in der Sandbox ist.",
  "purpose-created-unusable":
    "Der Zweck ist angelegt. Ihre App kann ihn verwenden, wenn ein Prüfer ihn genehmigt hat: Reichen Sie ihn zur Prüfung ein.",
  "purpose-changed": "Der Zweck ist geändert.",
  "purpose-submitted": "Der Zweck wird geprüft. Sie bekommen eine E-Mail mit der Entscheidung.",
  "purpose-edited":
    "Der neue Wortlaut wird geprüft. Bis zur Entscheidung gilt der genehmigte Wortlaut; Sie bekommen dann eine E-Mail.",
  "purpose-archived": "Der Zweck ist archiviert. Aufrufe, die ihn nennen, werden von jetzt an abgelehnt.",
  "app-submitted": "Die App wird geprüft. Sie bekommen eine E-Mail mit der Entscheidung.",
  "change-withdrawn": "Die Änderungen sind zurückgezogen. Die genehmigte Fassung gilt weiter.",
  "review-approve": "Genehmigt. Der Entwickler bekommt eine E-Mail.",
  "review-reject": "Abgelehnt. Der Entwickler bekommt eine E-Mail mit Ihrer Notiz.",
  "role-given": "Die Rolle ist vergeben. Sie gilt sofort; das Konto bekommt eine E-Mail.",
  "role-taken": "Die Rolle ist entzogen. Das Konto bekommt eine E-Mail.",
  "admin-left": "Sie sind kein Administrator mehr.",
  "account-signed-out": "Das Konto ist überall abgemeldet.",
  "account-suspended": "Das Konto ist gesperrt. Die Person, der es gehört, bekommt eine E-Mail.",
  "account-resumed": "Das Konto ist entsperrt. Die Person, der es gehört, bekommt eine E-Mail.",
  "app-narrowed": "Die erlaubten Scopes sind gespeichert. Sie gelten sofort auch für Tokens, die es schon gibt.",
  "app-revoked": "Die App ist widerrufen.",
  "endpoint-changed": "Der Endpunkt ist geändert.",
  "client-secrets-ended": "Die früheren Client-Secrets gelten nicht mehr. Das neueste gilt.",
  "secrets-ended": "Die früheren Signaturschlüssel sind ungültig. Der neueste gilt.",
  redelivered: "Das Ereignis ist wieder in der Warteschlange. Das ist seine neue Zustellung.",
  retried: "Der nächste Versuch ist jetzt fällig.",
  "attempt-made": "Dieser Versuch war schon gemacht, als Sie den Knopf drückten; deshalb ist nichts geschehen.",
  "team-invited":
    "Die Einladung steht. Wenn die Adresse ein Konto hat, senden wir ihr höchstens zwei Einladungen in der Stunde. Sie sehen hier, wenn jemand angenommen hat.",
  "team-withdrawn": "Die Einladung wurde zurückgezogen.",
  "team-role-changed": "Die Rolle wurde geändert. Sie gilt ab sofort.",
  "team-member-removed": "Das Mitglied wurde entfernt und kann die App nicht mehr öffnen.",
  "team-handed-over": "Die App wurde übergeben. Sie besitzen sie weiter mit.",
  "team-joined": "Sie sind jetzt im Team.",
  "team-declined": "Sie haben die Einladung abgelehnt.",
  "team-left": "Sie haben das Team verlassen.",
  "test-person-removed": "Die Testperson ist entfernt. Ihre Verbindung ist beendet.",
  "endpoint-removed": "Der Endpunkt ist entfernt. Zustellungen, die darauf gewartet haben, sind fehlgeschlagen."
}
