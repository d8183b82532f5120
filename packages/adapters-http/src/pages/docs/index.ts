/**
 * The documentation at `/docs`: guides for developers, and the reference of the API.
 * The pages are made from the OpenAPI document, the domain's constants, and the code that makes events and errors,
 * so they cannot contradict what the server does.
 * They need only the addresses of the server, and everybody gets the same pages.
 */

import type { ServiceOptions } from "../../HttpOptions.js"
import * as Authorization from "./authorization.js"
import * as Contract from "./contract.js"
import * as Errors from "./errors.js"
import * as Overview from "./overview.js"
import * as QuickStart from "./quickStart.js"
import * as Reference from "./reference.js"
import * as Webhooks from "./webhooks.js"

/** The routes of the documentation. */
export const routes = (options: ServiceOptions) => {
  let made: Contract.Contract | undefined
  const contract = () => (made ??= Contract.make(options))
  return [
    ...Overview.routes(options),
    ...QuickStart.routes(options),
    ...Authorization.routes(options, contract),
    ...Webhooks.routes(options, contract),
    ...Errors.routes(options, contract),
    ...Reference.routes(options, contract, Contract.tagPaths())
  ]
}
