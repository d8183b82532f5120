import type { GermanPair } from "../GermanPair.js"

/** The texts that say why a webhook did not arrive, or why the address of a receiver is refused. */
export const network: ReadonlyArray<GermanPair> = [
  { en: "must resolve to public addresses only", de: "darf nur zu öffentlichen Adressen führen" },
  {
    en: "the host name must resolve to public addresses only",
    de: "der Hostname darf nur zu öffentlichen Adressen führen"
  },
  { en: "cannot be checked now: {why:text}", de: "kann gerade nicht geprüft werden: {why:text}" },
  { en: "the host name does not exist", de: "den Hostnamen gibt es nicht" },
  { en: "the host name is not valid", de: "der Hostname ist nicht gültig" },
  { en: "the host name's name servers do not answer", de: "die Nameserver des Hostnamens antworten nicht" },
  { en: "name look-up is not working", de: "die Namensauflösung funktioniert nicht" },
  { en: "the address is not public", de: "die Adresse ist nicht öffentlich" },
  { en: "the address is not https", de: "die Adresse ist nicht https" },
  { en: "no complete answer within 5 s", de: "keine vollständige Antwort innerhalb von 5 s" },
  { en: "connection refused", de: "Verbindung abgelehnt" },
  { en: "connection reset", de: "Verbindung zurückgesetzt" },
  { en: "connection closed", de: "Verbindung geschlossen" },
  { en: "connection failed", de: "Verbindung fehlgeschlagen" },
  { en: "connection timed out", de: "keine Verbindung innerhalb der Zeit" },
  { en: "host unreachable", de: "Host nicht erreichbar" },
  { en: "network unreachable", de: "Netz nicht erreichbar" },
  {
    en: "the answer began with 100 Continue, which this service does not ask for",
    de: "die Antwort begann mit 100 Continue, worum dieser Dienst nicht bittet"
  },
  {
    en: "more than 20 interim answers (1xx) came before the answer",
    de: "vor der Antwort kamen mehr als 20 vorläufige Antworten (1xx)"
  },
  { en: "the answer's headers are larger than 16 KiB", de: "die Header der Antwort sind größer als 16 KiB" },
  { en: "the answer is not HTTP", de: "die Antwort ist kein HTTP" },
  { en: "this service's network is not working", de: "das Netz dieses Dienstes funktioniert nicht" },
  {
    en: "this service cannot reach the host's IPv6 address; the host name needs an IPv4 address",
    de: "dieser Dienst erreicht die IPv6-Adresse des Hosts nicht; der Hostname braucht eine IPv4-Adresse"
  },
  { en: "signing failed", de: "das Signieren ist fehlgeschlagen" },
  { en: "the store failed", de: "der Speicher ist ausgefallen" },
  { en: "TLS: the certificate has expired", de: "TLS: das Zertifikat ist abgelaufen" },
  { en: "TLS: the certificate is not valid yet", de: "TLS: das Zertifikat ist noch nicht gültig" },
  { en: "TLS: the certificate is self-signed", de: "TLS: das Zertifikat ist selbst signiert" },
  {
    en: "TLS: the certificate's issuer is not trusted",
    de: "TLS: dem Aussteller des Zertifikats wird nicht vertraut"
  },
  { en: "TLS: an intermediate certificate is missing", de: "TLS: ein Zwischenzertifikat fehlt" },
  { en: "TLS: the certificate is for another host name", de: "TLS: das Zertifikat gilt für einen anderen Hostnamen" },
  { en: "TLS: the handshake failed", de: "TLS: der Handshake ist fehlgeschlagen" }
]
