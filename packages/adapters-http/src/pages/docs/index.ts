/**
 * The documentation at `/docs`: guides for developers, and the reference of the API. Most pages are made from the
 * OpenAPI document, the domain's constants, and the code that makes events and errors, so these parts cannot contradict
 * the server. The sentences of the guides and the changes are written by hand. The pages depend only on the settings of
 * the server, so they are the same for everybody.
 */

import type { ServiceOptions } from "../../HttpOptions.js"
import * as Authorization from "./authorization.js"
import * as Changes from "./changesPage.js"
import * as Contract from "./contract.js"
import * as ErrorPages from "./errorPages.js"
import * as Errors from "./errors.js"
import * as Find from "./find/index.js"
import * as HowTo from "./howTo.js"
import * as Overview from "./overview.js"
import * as QuickStart from "./quickStart.js"
import * as Reference from "./reference.js"
import * as Webhooks from "./webhooks.js"

/** The routes of the documentation. */
export const routes = (options: ServiceOptions) => {
  let made: Contract.Contract | undefined
  const contract = () => (made ??= Contract.make(options))
  const pages = [
    ...Overview.pages(options),
    ...QuickStart.pages(options),
    ...HowTo.pages(options),
    ...Authorization.pages(options, contract),
    ...Webhooks.pages(options, contract),
    ...Errors.pages(options),
    ...ErrorPages.pages(options, contract),
    ...Reference.pages(options, contract, Contract.tagPaths()),
    ...Changes.pages
  ]
  return [...Find.routes(options, pages), Changes.feed(options)]
}
