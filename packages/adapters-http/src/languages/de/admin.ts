import { html } from "../../html/Html.js"
import type * as en from "../en/admin.js"
import { browserName, number, plural } from "./words.js"

const from = (network: string | null): string => (network === null ? "" : ` von ${network}`)

/** The German names of the roles. */
const ROLES: Readonly<Record<string, string>> = { developer: "Entwickler", reviewer: "Prüfer", admin: "Administrator" }
const role = (name: string): string => ROLES[name] ?? name

const TEAM_ROLES: Readonly<Record<string, string>> = {
  owner: "Besitzer",
  developer: "Entwickler",
  viewer: "Betrachter"
}
const teamRole = (name: string): string => TEAM_ROLES[name] ?? name

export const admin: typeof en.admin = {
  tabs: { label: "Verwaltung", apps: "Apps", accounts: "Konten", audit: "Audit-Protokoll", service: "Dienst" },
  service: {
    title: "Verwaltung: Dienst",
    noWorker: "Kein Worker läuft.",
    noWorkerText: "Webhooks und E-Mails warten, und nichts Abgelaufenes wird gelöscht. Starten Sie einen Worker.",
    numbers: "Zahlen",
    accounts: "Konten",
    accountsOf: (all, made, days) => html`${all}, davon ${number(made)} neu in ${days} Tagen`,
    suspended: "Gesperrte Konten",
    apps: "Apps insgesamt",
    appsOf: (production, inReview, sandbox) =>
      `${number(production)} in Produktion, ${number(inReview)} zum ersten Mal in Prüfung, ${number(sandbox)} in der Sandbox`,
    workers: "Laufende Worker",
    flags: (days) => `Auffällige Mengen in ${days} Tagen`,
    leaks: (days) => `Verbindungen mit entwendetem Schlüssel in ${days} Tagen`,
    queues: "Was auf einen Worker wartet",
    queue: "Warteschlange",
    due: "Fällig",
    oldest: "Ältestes",
    names: {
      outbox: "Ereignisse zum Verteilen",
      deliveries: "Webhooks zum Senden",
      mail: "E-Mails zum Senden",
      imports: "Dateien zum Einlesen"
    },
    orMore: (count) => `${number(count)} oder mehr`,
    hint: "Eine Warteschlange, deren Ältestes Minuten alt ist, hat zu wenige Worker. Webhooks warten auch, wenn der Server einer App nicht rechtzeitig antwortet. E-Mails warten auch, wenn kein E-Mail-Server eingestellt ist (SMTP_URL) oder er sie nicht annimmt: Den Grund nennt das Log der Worker."
  },
  titleOf: (name) => `Verwaltung: ${name}`,
  roles: { developer: "Entwickler", reviewer: "Prüfer", admin: "Administrator" },
  noRole: "Keine Rolle",
  suspended: "Gesperrt",
  search: {
    title: "Verwaltung: Konten",
    label: "E-Mail-Adresse oder Kennung",
    lead: "Suchen Sie ein Konto, um Rollen zu geben oder zu entziehen, um es zu sperren oder abzumelden.",
    hint: "Die ganze Adresse oder eine Kennung wie usr_…. Nach Teilen eines Namens kann niemand suchen.",
    find: "Konto suchen",
    nobody: "gehört hier zu keinem Konto"
  },
  account: {
    about: "Über das Konto",
    email: "E-Mail-Adresse",
    noEmail: "keine Adresse",
    id: "Kennung",
    created: "Angelegt",
    happened: "Was mit diesem Konto geschah",
    rolesHeading: "Rollen",
    rolesText:
      "Eine Änderung wirkt sofort. Das Konto bekommt eine E-Mail, und das Audit-Protokoll bekommt einen Eintrag.",
    means: {
      developer: "Hat Apps angelegt. Mit der ersten App wird jeder zum Entwickler.",
      reviewer: "Entscheidet über Apps und Zwecke anderer und sieht keinen Standort.",
      admin: "Kann, was Prüfer können. Beendet Apps, gibt Rollen und sperrt Konten."
    },
    take: (name) => html`Rolle ${name} entziehen`,
    give: (name) => html`Rolle ${name} geben`,
    access: "Zugang",
    signOut: "Abmelden",
    signOutText: "Meldet jeden Browser des Kontos ab. Die Person kann sich wieder anmelden.",
    signOutEverywhere: "Überall abmelden",
    suspend: "Sperren",
    suspendOwn:
      "Das ist Ihr eigenes Konto. Wenn es gesperrt werden muss, bitten Sie jemand anderen aus der Verwaltung.",
    suspendNamed: (name) => `${name} sperren`,
    suspendWhile: "Solange es gesperrt ist:",
    suspendSignIn: "kann sich niemand damit anmelden, und seine Browser können bis zum Entsperren nichts tun;",
    suspendApps: "bekommen Apps keine Antworten und keine Ereignisse dazu, und seine eigenen Apps ruhen;",
    suspendPhones:
      "können seine Handys weiter senden, und außer seinen offenen Einladungen in Teams wird nichts gelöscht.",
    suspendBack: "Sie können es jederzeit entsperren. Die Person bekommt eine E-Mail.",
    suspendAccount: "Konto sperren",
    resume: "Entsperren",
    resumeText:
      "Alles geht wie vorher: Seine Browser sind wieder angemeldet. Ereignisse aus der Zwischenzeit werden nicht nachgesendet.",
    resumeFirst: "Wurde das Konto übernommen? Melden Sie es zuerst überall ab.",
    resumeAccount: "Konto entsperren"
  },
  apps: {
    title: "Verwaltung: Apps",
    lead: "Die Apps aller Entwickler, die neueste zuerst. Hier schränken Sie die Scopes einer App ein oder beenden sie.",
    toReview: "Ihre Zwecke und ihre Prüfung",
    revoked: (at) => html`Widerrufen ${at}`,
    scopes: "Scopes",
    reason: "Grund",
    own: "Sie gehören zum Team dieser App, deshalb schränkt jemand anderes ihre Scopes ein.",
    allowed: "Erlaubte Scopes",
    allowedText:
      "Nehmen Sie einen Haken weg, und die App verliert den Scope sofort: auch bei Personen, die ihn erlaubt haben, und auch wenn der Entwickler ihn wieder anfordert. Setzen Sie den Haken wieder, gilt der Scope wieder bei allen, die ihn erlaubt haben. Der Entwickler bekommt eine E-Mail.",
    allowedHint: "Alle angehakt: keine Einschränkung. Keine angehakt: Die Tokens der App öffnen nichts.",
    saveScopes: "Scopes speichern",
    end: "App beenden",
    revoke: (app) => `${app} endgültig widerrufen`,
    cannotUndo: html`<strong>Das lässt sich nicht rückgängig machen.</strong> Von diesem Moment an:`,
    endTokens: "gilt keins ihrer Access-Tokens, Refresh-Tokens und Codes mehr;",
    endRules: "sind ihre Regeln beendet, und wartende Zustellungen werden nicht gesendet;",
    endUsers: "sind alle Personen getrennt, und niemand kann sie wieder verbinden;",
    endReview: "verlassen ihre Zwecke und die App selbst die Prüfliste.",
    endLogs:
      "Die Zugriffsprotokolle der Personen behalten ihre Abfragen. Der Entwickler bekommt eine E-Mail mit dem Grund.",
    reasonHint: "Der Entwickler liest ihn.",
    revokeApp: "App widerrufen"
  },
  audit: {
    title: "Verwaltung: Audit-Protokoll",
    lead: "Sicherheitsereignisse und was Mitarbeiter und Betreiber getan haben, das Neueste zuerst. Anmeldeversuche bleiben 90 Tage, alles andere 400.",
    nothing: "Es ist nichts aufgezeichnet, was passt.",
    when: "Wann",
    account: "Konto",
    happened: "Was geschah",
    by: "Durch",
    accountId: "Kennung eines Kontos",
    from: "Von",
    until: "Bis",
    everything: "Alles",
    filter: "Filtern",
    newest: "Neueste",
    older: "Ältere",
    notOfList: "muss aus der Liste sein",
    mustBeId: "muss eine Kennung wie usr_… sein; sie steht unter „Konten“",
    noAccount: "Keins, das es gibt",
    owner: "Die Person selbst",
    operator: "Ein Betreiber, auf dem Server",
    stranger: "Jemand, der sich nicht ausgewiesen hat"
  },
  kinds: {
    account_made: "Konto angelegt",
    account_deleted: "Konto gelöscht",
    account_suspended: "Konto gesperrt",
    account_resumed: "Konto entsperrt",
    sign_in: "Anmeldung",
    sign_in_failed: "Falsches Passwort oder falscher Code",
    locked_out: "Anmeldung geschlossen",
    unlocked: "Anmeldung wieder offen",
    sessions_ended: "Von Mitarbeitern abgemeldet",
    password_changed: "Passwort geändert",
    reset_link_made: "Link für ein neues Passwort",
    address_confirmed: "Adresse bestätigt",
    address_changed: "Adresse geändert",
    address_restored: "Adresse zurückgeholt",
    name_changed: "Name geändert",
    factor_added: "Zweiter Faktor hinzugefügt",
    factor_removed: "Zweiter Faktor entfernt",
    factor_removal_asked: "Entfernung eines Faktors verlangt",
    factor_removal_stopped: "Entfernung eines Faktors gestoppt",
    recovery_code_used: "Wiederherstellungscode benutzt",
    passkey_copied: "Passkey vielleicht kopiert",
    role_given: "Rolle gegeben",
    role_taken: "Rolle entzogen",
    export_made: "Export angelegt",
    export_fetched: "Export abgeholt",
    secret_rotated: "Geheimnis ersetzt",
    secret_ended: "Geheimnis beendet",
    endpoint_added: "Endpunkt hinzugefügt",
    endpoint_moved: "Adresse eines Endpunkts geändert",
    review_decided: "Prüfung entschieden",
    team_invited: "In ein Team eingeladen",
    team_invitation_withdrawn: "Einladung zurückgezogen",
    team_invitation_declined: "Einladung abgelehnt",
    team_joined: "Einem Team beigetreten",
    team_role_changed: "Rolle in einem Team geändert",
    team_left: "Ein Team verlassen",
    team_handed_over: "App übergeben"
  },
  said: {
    made: "Das Konto wurde angelegt.",
    madeAs: (roles) => `Das Konto wurde angelegt, als ${roles.map(role).join(" und ")}.`,
    deleted: "Ein Konto wurde gelöscht.",
    suspended: "Das Konto wurde gesperrt.",
    resumed: "Das Konto wurde entsperrt.",
    signedIn: (browser, network) =>
      `Anmeldung mit ${browser === null ? "einem unbekannten Programm" : browserName(browser)}${from(network)}.`,
    signInFailed: (network) => `Ein Passwort oder ein Code war falsch${from(network)}.`,
    accountClosed: (network) =>
      `Zu viele Fehlversuche: Die Anmeldung am Konto war eine Weile geschlossen. Der letzte Versuch kam${from(network)}.`,
    networkClosed: (network) =>
      `Zu viele Fehlversuche${from(network)}: Die Anmeldung von dort war eine Weile geschlossen.`,
    unlocked: "Die Person hat die Anmeldung wieder geöffnet.",
    sessionsEnded: (count) => `Aus ${plural(count, "Browser", "Browsern")} abgemeldet.`,
    passwordByLink: "Hat mit einem Link ein neues Passwort gesetzt.",
    passwordChanged: "Hat das Passwort geändert.",
    resetLink: "Hat einen Link geholt, mit dem die Person ein neues Passwort setzt.",
    addressConfirmed: "Hat die E-Mail-Adresse bestätigt.",
    addressChanged: "Hat die E-Mail-Adresse geändert.",
    addressRestored: "Hat eine Änderung der E-Mail-Adresse zurückgenommen.",
    nameChanged: "Hat den Namen geändert, den andere lesen.",
    factorAdded: {
      passkey: "Hat einen Passkey als zweiten Faktor hinzugefügt.",
      totp: "Hat eine Authenticator-App als zweiten Faktor hinzugefügt.",
      recovery_codes: "Hat Wiederherstellungscodes als zweiten Faktor hinzugefügt."
    },
    factorRemoved: {
      passkey: "Hat einen Passkey als zweiten Faktor entfernt.",
      totp: "Hat eine Authenticator-App als zweiten Faktor entfernt.",
      recovery_codes: "Hat Wiederherstellungscodes als zweiten Faktor entfernt."
    },
    factorRemovalAsked: "Hat verlangt, den zweiten Faktor zu entfernen, den die Person verloren hat.",
    factorRemovalStopped: "Hat die Entfernung des zweiten Faktors gestoppt, die ein Betreiber verlangt hatte.",
    recoveryCodeUsed: "Hat einen Wiederherstellungscode benutzt.",
    passkeyCopied: "Ein Passkey wurde abgelehnt: Vielleicht hat ihn jemand kopiert.",
    roleGiven: (name) => `Wurde ${role(name)}.`,
    roleTaken: (name) => `Hat die Rolle ${role(name)} verloren.`,
    exportMade: "Hat ein Archiv des Kontos verlangt.",
    exportFetched: "Hat das Archiv des Kontos abgeholt.",
    secretRotated: {
      client: (app) => html`Hat das Client-Secret der App ${app} ersetzt.`,
      signing: (app) => html`Hat den Signaturschlüssel der App ${app} ersetzt.`
    },
    secretEnded: {
      client: (app) => html`Hat das Client-Secret der App ${app} beendet.`,
      signing: (app) => html`Hat den Signaturschlüssel der App ${app} beendet.`
    },
    endpointAdded: (app) => html`Hat der App ${app} einen Webhook-Endpunkt hinzugefügt.`,
    endpointMoved: (app) => html`Hat die Adresse eines Webhook-Endpunkts der App ${app} geändert.`,
    team: {
      team_invited: (app, name) =>
        html`Hat jemanden in das Team von ${app} eingeladen, in der Rolle ${teamRole(name)}.`,
      team_invitation_withdrawn: (app, name) =>
        html`Hat eine Einladung in das Team von ${app} zurückgezogen, in der Rolle ${teamRole(name)}.`,
      team_invitation_declined: (app, name) =>
        html`Hat es abgelehnt, dem Team von ${app} beizutreten, in der Rolle ${teamRole(name)}.`,
      team_joined: (app, name) => html`Ist dem Team von ${app} beigetreten, in der Rolle ${teamRole(name)}.`,
      team_role_changed: (app, name) => html`Hat jetzt die Rolle ${teamRole(name)} im Team von ${app}.`,
      team_left: (app, name) => html`Hat die Rolle ${teamRole(name)} im Team von ${app} nicht mehr.`,
      team_handed_over: (app, name) => html`Hält jetzt die App ${app}, in der Rolle ${teamRole(name)}.`
    },
    appDecided: {
      approved: (app) => html`Die App ${app} wurde genehmigt.`,
      rejected: (app) => html`Die App ${app} wurde abgelehnt.`,
      narrowed: (app) => html`Die App ${app} wurde eingeschränkt.`,
      revoked: (app) => html`Die App ${app} wurde widerrufen.`
    },
    purposeDecided: {
      approved: (purpose, app) => html`Der Zweck ${purpose} der App ${app} wurde genehmigt.`,
      rejected: (purpose, app) => html`Der Zweck ${purpose} der App ${app} wurde abgelehnt.`,
      narrowed: (purpose, app) => html`Der Zweck ${purpose} der App ${app} wurde eingeschränkt.`,
      revoked: (purpose, app) => html`Der Zweck ${purpose} der App ${app} wurde widerrufen.`
    }
  }
}
