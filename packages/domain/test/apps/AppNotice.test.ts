import { App, AppProposal } from "@place-access/domain/apps"
import { Vault } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"
import { message } from "../../src/apps/AppNotice.js"
import { appOf } from "../support/apps.js"

const NOTHING: App.Proposal = {
  name: null,
  description: null,
  homepageUrl: null,
  logo: null,
  scopes: null,
  redirectUris: null
}

/** The mail that tells the developer that a change was approved. */
const mailAbout = (proposal: Partial<App.Proposal>) => {
  const app = appOf({ status: "production", proposal: { ...NOTHING, ...proposal } })
  const change = AppProposal.differences(app)
  return message(app, { id: "rev_1", kind: "approved", note: null, subject: { kind: "app", change } } as never).body
}

describe("the mail about a decided change to an app in production [apps-4]", () => {
  it.each<readonly [string, Partial<App.Proposal>]>([
    ["The name: Tea Finder", { name: App.AppName.make("Tea Finder") }],
    ["The description: Finds tea.", { description: App.AppDescription.make("Finds tea.") }],
    ["The web page: https://tea.example", { homepageUrl: App.HomepageUrl.make("https://tea.example") }],
    ["A new logo", { logo: Vault.Hash.make("a".repeat(64)) }],
    ["The scopes: location.visits.read", { scopes: ["location.visits.read"] }]
  ])("names what was asked for: %s", (line, proposal) => {
    expect(mailAbout(proposal)).toContain(`You asked for:\n${line}\n`)
  })
})
