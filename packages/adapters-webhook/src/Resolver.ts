import dns from "node:dns"

/** One address of a host. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/**
 * The reason why a name has no address. `theirs` is the receiver's fault and counts as a failed attempt; `ours` is a
 * fault of this service and uses no attempt (decision W3).
 */
export class LookupFailed extends Error {
  override readonly name = "LookupFailed"
  readonly whose: "theirs" | "ours"

  constructor(whose: "theirs" | "ours", message: string) {
    super(message)
    this.whose = whose
  }
}

/** Resolves every address of a name, at least one. Rejects with `LookupFailed`. */
export type Resolver = (hostname: string) => Promise<ReadonlyArray<ResolvedAddress>>

/**
 * Milliseconds for one question to one name server; the next server is asked afterwards. Node checks these time-outs
 * once a second, so a question may take a second longer.
 */
const SERVER_MILLIS = 1_000
/**
 * Milliseconds for a whole look-up, however many name servers are silent. The exchange with a receiver has five
 * seconds, and its deadline blames the receiver. So this module must say earlier that its own look-up is not working.
 */
const VERDICT_MILLIS = 4_000
/** Milliseconds after which the service checks its own look-up, beside the question that is not answered yet. */
const CHECK_AFTER_MILLIS = 1_000
/** Milliseconds to wait for the IPv6 answer once the IPv4 answer has arrived. */
const GRACE_MILLIS = 300

const NO_SUCH_NAME: ReadonlySet<string> = new Set([dns.NOTFOUND, dns.NODATA])
/** Error codes for a text that no name server would accept as a name. */
const BAD_NAME: ReadonlySet<string> = new Set([dns.BADNAME, dns.BADQUERY, dns.BADSTR])

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

const within = <A>(millis: number, work: Promise<A>, late: () => A): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<A>((resolve) => {
    // @effect-diagnostics-next-line globalTimers:off -- among promises, below any program
    timer = setTimeout(() => resolve(late()), millis)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

type Outcome = { readonly addresses: ReadonlyArray<ResolvedAddress>; readonly error?: unknown }

const NO_ANSWER: Outcome = { addresses: [] }

const settled = (question: Promise<ReadonlyArray<string>>, family: 4 | 6): Promise<Outcome> =>
  within<Outcome>(
    VERDICT_MILLIS,
    question.then(
      (found) => ({ addresses: found.map((address) => ({ address, family })) }),
      (error: unknown) => ({ addresses: [], error })
    ),
    () => NO_ANSWER
  )

const ask = async (resolver: dns.promises.Resolver, hostname: string): Promise<readonly [Outcome, Outcome]> => {
  const six = settled(resolver.resolve6(hostname), 6)
  const four = await settled(resolver.resolve4(hostname), 4)
  return [four, await (four.addresses.length > 0 ? within(GRACE_MILLIS, six, () => NO_ANSWER) : six)]
}

/**
 * A resolver that asks name servers (default: the configured ones). Unlike `dns.lookup`, it does not use the four
 * threads that are shared with the file system. Otherwise a receiver whose name servers never answer would block the
 * look-ups of all receivers.
 */
export const nameServers =
  (servers?: ReadonlyArray<string>): Resolver =>
  async (hostname) => {
    const resolver = client(servers)
    const asking = ask(resolver, hostname)
    const early = await within(CHECK_AFTER_MILLIS, asking, () => undefined)
    const checking = early === undefined ? works(servers) : undefined
    const [four, six] = early ?? (await asking)
    resolver.cancel()
    const addresses = [...four.addresses, ...six.addresses]
    if (addresses.length > 0) return addresses
    throw await blame([codeOf(four.error), codeOf(six.error)], () => checking ?? works(servers))
  }

/**
 * A resolver that asks the configured name servers. It reads the configuration for every question, because the network
 * can change under a process that runs for months.
 */
export const system: Resolver = nameServers()

const client = (servers: ReadonlyArray<string> | undefined): dns.promises.Resolver => {
  const resolver = new dns.promises.Resolver({ timeout: SERVER_MILLIS, tries: 1 })
  if (servers !== undefined) resolver.setServers(servers)
  return resolver
}

const blame = async (codes: ReadonlyArray<string>, isWorking: () => Promise<boolean>): Promise<LookupFailed> => {
  if (codes.every((code) => NO_SUCH_NAME.has(code))) {
    return new LookupFailed("theirs", "the host name does not exist")
  }
  if (codes.some((code) => BAD_NAME.has(code))) return new LookupFailed("theirs", "the host name is not valid")
  // There was no useful answer about this name. A question about a name that always exists shows whether the name or
  // this service's resolver is at fault.
  return (await isWorking())
    ? new LookupFailed("theirs", "the host name's name servers do not answer")
    : new LookupFailed("ours", "name look-up is not working")
}

const works = async (servers: ReadonlyArray<string> | undefined): Promise<boolean> => {
  const resolver = client(servers)
  const answer = await within(
    VERDICT_MILLIS - CHECK_AFTER_MILLIS,
    resolver.resolveSoa("com").then(
      () => true,
      () => false
    ),
    () => false
  )
  resolver.cancel()
  return answer
}

/** The machine's own look-up, `hosts` file included: for development, where receivers run on the same machine. */
export const machine: Resolver = (hostname) =>
  dns.promises.lookup(hostname, { all: true, verbatim: true }).then(
    (found) => found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })),
    (error: unknown) => {
      throw codeOf(error) === "ENOTFOUND"
        ? new LookupFailed("theirs", "the host name does not exist")
        : new LookupFailed("ours", "name look-up is not working")
    }
  )
