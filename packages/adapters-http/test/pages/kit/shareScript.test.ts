import { textsIn } from "@place-access/adapters-http/languages/index"
import { shareScript } from "@place-access/adapters-http/pages/kit/scripts/shareScript"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"

/** Presses Start on the page, where the service answers `status` with the API's English, and returns what it says. */
const refused = async (status: number, language: "de" | "en"): Promise<string> => {
  const parts = new Map<string, { textContent: string; press?: () => Promise<void> }>()
  const part = (id: string) => {
    const one = { textContent: "", dataset: { account: "usr_1", name: "Firefox" } }
    const made = { ...one, addEventListener: (_: string, press: () => Promise<void>) => Object.assign(made, { press }) }
    if (!parts.has(id)) parts.set(id, made)
    return parts.get(id)
  }
  const fetch = async () => ({ ok: false, status, json: async () => ({ message: "an account can have 50 devices" }) })
  runInNewContext(shareScript, {
    document: {
      currentScript: { dataset: { texts: JSON.stringify(textsIn(language).setUp.share.script) } },
      getElementById: part
    },
    window: { isSecureContext: true },
    navigator: { geolocation: {} },
    localStorage: { getItem: () => null },
    addEventListener: () => {},
    fetch
  })
  await parts.get("share-start")?.press?.()
  return parts.get("share-said")?.textContent ?? ""
}

it.each([401, 409, 429, 503])(
  "a browser that cannot be added (%i) reads why in its own language [languages-1]",
  async (status) => {
    for (const language of ["de", "en"] as const) {
      const said = await refused(status, language)
      expect(said).not.toContain("an account can have 50 devices")
      expect(Object.values(textsIn(language).setUp.share.script)).toContain(said)
    }
    const [full, later] = [await refused(409, "de"), await refused(503, "de")]
    expect(full).toContain("Entfernen Sie eines")
    expect(later).not.toBe(full)
  }
)
