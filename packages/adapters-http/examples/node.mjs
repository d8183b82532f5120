// A server of an app. At /connect the user connects the app, and /where says at which of their places the user is.
// SERVICE=https://… CLIENT_ID=… CLIENT_SECRET=… APP_URL=http://localhost:3000 TOKENS=./tokens node node.mjs
// The redirect address to register is APP_URL/callback.
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { createClient, isPlaceAccessError } from "@place-access/adapters-http/client"
import { fileTokenStore } from "@place-access/adapters-http/client/fileTokenStore"

const { APP_URL, CLIENT_ID, CLIENT_SECRET, PORT = "3000", SERVICE, TOKENS = "./tokens" } = process.env
const redirectUri = `${APP_URL}/callback`
mkdirSync(TOKENS, { recursive: true })

// Each user has a client with a token store of its own. In production, keep the tokens in the database, in the user's
// row.
const clients = new Map()
const clientOf = (user) => {
  if (!clients.has(user)) {
    const store = fileTokenStore(join(TOKENS, `${user}.json`))
    clients.set(user, createClient({ baseUrl: SERVICE, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, store }))
  }
  return clients.get(user)
}

// Replace this by your own sign-in. In this example a cookie says which user of the app sent the request.
const sessions = new Map()
const sessionOf = (request) => {
  const known = /session=([\w-]{36})/.exec(request.headers.cookie ?? "")?.[1]
  const id = sessions.has(known) ? known : randomUUID()
  if (!sessions.has(id)) sessions.set(id, { id, user: `user-${id}`, pending: null })
  return sessions.get(id)
}

const routes = {
  "/connect": async (session) => {
    const scopes = ["location.place.current", "location.rules.place"]
    const { pending, url } = await clientOf(session.user).authorization.start({ redirectUri, scopes })
    session.pending = pending
    return { status: 303, location: url }
  },
  "/callback": async (session, request) => {
    const { pending } = session
    session.pending = null
    if (pending === null) return { status: 400, text: "Begin at /connect." }
    await clientOf(session.user).authorization.complete(APP_URL + request.url, pending)
    return { status: 303, location: "/where" }
  },
  "/where": async (session) => {
    const { place, state } = await clientOf(session.user).answers.currentPlace()
    return { status: 200, text: state === "at_place" ? `You are at ${place.label}.` : `You are: ${state}.` }
  }
}

const answer = async (session, request) => {
  const route = routes[new URL(request.url, APP_URL).pathname]
  if (route === undefined) return { status: 404, text: "Not here." }
  try {
    return await route(session, request)
  } catch (error) {
    if (!isPlaceAccessError(error)) throw error
    switch (error.code) {
      case "not_connected":
      case "invalid_grant":
      case "refresh_uncertain":
        return { status: 303, location: "/connect" }
      case "access_denied":
        return { status: 200, text: "You did not connect. You can do so later." }
      case "callback_mismatch":
        return { status: 400, text: "This address is not from your sign-in." }
      default:
        console.error(`the service refused: ${error.code} ${error.message}`)
        return { status: 503, text: "We cannot tell right now." }
    }
  }
}

const server = createServer(async (request, response) => {
  const session = sessionOf(request)
  const cookie = `session=${session.id}; Path=/; HttpOnly; SameSite=Lax`
  const headers = { "content-type": "text/plain; charset=utf-8", "set-cookie": cookie }
  try {
    const { location, status, text = "" } = await answer(session, request)
    response.writeHead(status, location === undefined ? headers : { ...headers, location }).end(text)
  } catch (error) {
    console.error(error)
    response.writeHead(500, headers).end("Something went wrong.")
  }
})
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on port ${server.address().port}`))
