import dns from "node:dns"

/**
 * The reason why a look-up found no address. `theirs` is the receiver's fault and counts as a failed attempt; `ours` is
 * a fault of this service and uses no attempt (decision W3).
 */
export class LookupFailed extends Error {
  override readonly name = "LookupFailed"
  readonly whose: "theirs" | "ours"

  constructor(whose: "theirs" | "ours", message: string) {
    super(message)
    this.whose = whose
  }
}

/** One address of a host. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
  /**
   * Present only in an IPv6 address, when the look-up of the host's IPv4 addresses failed although the host may have
   * some.
   */
  readonly ipv4Fault?: Ipv4Fault
}

/**
 * Looks up the host's IPv4 addresses a second time and returns why the first look-up did not find them; undefined when
 * the host has no IPv4 address. The look-up takes time, so it runs only after a connection failed because the machine
 * has no IPv6. Never rejects.
 */
export type Ipv4Fault = () => Promise<LookupFailed | undefined>

/**
 * Resolves a name to its IPv4 and IPv6 addresses, at least one. Addresses of one kind may be missing when their look-up
 * failed or was slow. Rejects with `LookupFailed`.
 */
export type Resolver = (hostname: string) => Promise<ReadonlyArray<ResolvedAddress>>

/**
 * Milliseconds for one question to one name server. After this time, the next server is asked. Node checks these
 * time-outs once a second, so a question may take a second longer.
 */
const SERVER_MILLIS = 1_000
/**
 * Milliseconds for a whole look-up, for any number of silent name servers. An exchange that ends at its deadline of
 * five seconds counts as the receiver's fault. So a look-up must end earlier, to report that the service's own name
 * servers are at fault.
 */
const VERDICT_MILLIS = 4_000
/**
 * When a question has no answer after this number of milliseconds, the service also checks its own name servers with
 * another question, while it waits for the answer to the first.
 */
const CHECK_AFTER_MILLIS = 1_000
/**
 * The longest time, in milliseconds, of a second look-up of a host's IPv4 addresses (`Ipv4Fault`). The second look-up
 * runs when the first look-up had no usable answer, and a connection to an IPv6 address failed because this machine has
 * no IPv6.
 */
const SECOND_IPV4_MILLIS = 1_000
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
    // @effect-diagnostics-next-line globalTimers:off -- this code uses promises and no Effect
    timer = setTimeout(() => resolve(late()), millis)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

type Outcome = { readonly addresses: ReadonlyArray<ResolvedAddress>; readonly error?: unknown }

const NO_ANSWER: Outcome = { addresses: [] }

const settled = (
  question: Promise<ReadonlyArray<string>>,
  family: 4 | 6,
  millis: number = VERDICT_MILLIS
): Promise<Outcome> =>
  within<Outcome>(
    millis,
    question.then(
      (found) => ({ addresses: found.map((address) => ({ address, family })) }),
      (error: unknown) => ({ addresses: [], error })
    ),
    () => NO_ANSWER
  )

const ask = async (resolver: dns.promises.Resolver, hostname: string): Promise<readonly [Outcome, Outcome]> => {
  const six = settled(resolver.resolve6(hostname), 6)
  const four = await settled(resolver.resolve4(hostname), 4)
  if (four.addresses.length > 0) return [four, await within(GRACE_MILLIS, six, () => NO_ANSWER)]
  return [four, await six]
}

/** True when no name server said whether the host has addresses of this kind (IPv4 or IPv6). */
const isUnanswered = ({ addresses, error }: Outcome): boolean =>
  addresses.length === 0 && !NO_SUCH_NAME.has(codeOf(error))

/**
 * A resolver that asks name servers; by default the configured ones. `dns.lookup` of Node would use a few threads
 * that are shared with the file system, so a receiver whose name servers never answer could block the look-ups of all
 * receivers.
 */
export const nameServers =
  (servers?: ReadonlyArray<string>): Resolver =>
  async (hostname) => {
    const resolver = client(servers)
    const until = performance.now() + VERDICT_MILLIS
    const millisLeft = () => Math.max(0, until - performance.now())
    const asking = ask(resolver, hostname)
    const early = await within(CHECK_AFTER_MILLIS, asking, () => undefined)
    const checking = early === undefined ? works(servers) : undefined
    const [four, six] = early ?? (await asking)
    resolver.cancel()
    const isWorking = () => checking ?? works(servers)
    const addresses = [...four.addresses, ...six.addresses]
    if (addresses.length === 0) throw await blame([codeOf(four.error), codeOf(six.error)], isWorking)
    if (!isUnanswered(four)) return addresses
    let verdict: Promise<LookupFailed | undefined> | undefined
    const ipv4Fault: Ipv4Fault = () =>
      (verdict ??= askAgain(servers, hostname, millisLeft, () => within(millisLeft(), isWorking(), () => false)))
    return addresses.map((address) => ({ ...address, ipv4Fault }))
  }

const askAgain = async (
  servers: ReadonlyArray<string> | undefined,
  hostname: string,
  millisLeft: () => number,
  isWorking: () => Promise<boolean>
): Promise<LookupFailed | undefined> => {
  const resolver = client(servers)
  const four = await settled(resolver.resolve4(hostname), 4, Math.min(SECOND_IPV4_MILLIS, millisLeft()))
  resolver.cancel()
  // The name has an IPv4 address after all, so the receiver is not at fault. The next attempt of the delivery looks the
  // name up again.
  if (four.addresses.length > 0) return new LookupFailed("ours", "name look-up is not working")
  return isUnanswered(four) ? blame([codeOf(four.error)], isWorking) : undefined
}

/**
 * A resolver that asks the configured name servers. It reads the configuration for every look-up, because the network
 * can change while a process runs.
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
  // No name server gave a useful answer about the receiver's host name. `isWorking` asks about a name that always
  // exists (`com`). If a name server answers, the servers of the receiver's name are at fault, otherwise those of the
  // service.
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

/**
 * The machine's own look-up, which also reads the `hosts` file: for development, where receivers run on the same
 * machine.
 */
export const machine: Resolver = (hostname) =>
  dns.promises.lookup(hostname, { all: true, verbatim: true }).then(
    (found) => found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })),
    (error: unknown) => {
      throw codeOf(error) === "ENOTFOUND"
        ? new LookupFailed("theirs", "the host name does not exist")
        : new LookupFailed("ours", "name look-up is not working")
    }
  )
