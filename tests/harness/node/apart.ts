// Separate namespaces for nodes: network, mounts and processes. Programs in there reach nothing outside. When their first process ends, all other
// processes and all mounts are gone. Only cgroups remain, which are removed afterwards.
import { globSync, rmdirSync } from 'node:fs'
import { startLifelined } from '../processes/bound-processes.ts'
import { scratchOwner, scratchOwnerVariable } from '../processes/scratch.ts'

/** A network and a mount namespace in which a node runs. */
export type Machine = {
  /** The name of its node. */
  readonly name: string
  readonly address: string
  readonly podNetwork: string
  /** Commands that connect a new network namespace. */
  readonly link: string
}

/** Its default route leads nowhere. But without one, the machine refuses addresses of Services before nftables turns them into addresses of Pods. */
export const firstMachine: Machine = {
  name: 'node1',
  address: '10.231.0.2',
  podNetwork: '10.244.0.0/24',
  link: `ip link add node0 type veth peer name nowhere
ip addr add 10.231.0.2/24 dev node0
ip link set node0 up && ip link set nowhere up
ip route add default via 10.231.0.1`,
}

/** The first machine, which has process 1, is the router: Pods of each machine reach the Pods of the other. */
export const secondMachine: Machine = {
  name: 'node2',
  address: '10.231.1.2',
  podNetwork: '10.245.0.0/24',
  link: `ip link add node0 type veth peer name node2 netns 1
ip addr add 10.231.1.2/24 dev node0
ip link set node0 up
nsenter --target 1 --net sh -ec 'ip addr add 10.231.1.1/24 dev node2; ip link set node2 up; ip route add 10.245.0.0/24 via 10.231.1.2'
ip route add default via 10.231.1.1`,
}

/** The cgroup below each controller, for this run only: each run removes its own. */
const runCgroup = `espalier-node-${scratchOwner}`
export const cgroupOf = ({ name }: Machine): string => `${runCgroup}/${name}`

/**
 * kubelet sets kernel parameters, which belong to the whole machine, so it finds plain files in their place. cpuset must have its processors named.
 * All Pods together get the weight of six processes instead of one.
 */
const furnish = (machine: Machine): string => `set -e
mount --make-rprivate / && mount --make-rshared /
ip link set lo up
${machine.link}
echo 1 > /proc/sys/net/ipv4/ip_forward
for folder in /run /var/lib/cni /var/log/pods /var/log/containers; do mkdir -p $folder; mount -t tmpfs tmpfs $folder; done
mkdir -p /run/sysctl /run/lock
for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  file=/run/sysctl/$(basename $name); cat /proc/sys/$name > $file; mount --bind $file /proc/sys/$name
done
for controller in cpu cpuacct cpuset memory devices freezer blkio pids systemd; do mkdir -p /sys/fs/cgroup/$controller/${cgroupOf(machine)}; done
for cgroup in ${runCgroup} ${cgroupOf(machine)}; do
  for file in cpuset.cpus cpuset.mems; do cat /sys/fs/cgroup/cpuset/$file > /sys/fs/cgroup/cpuset/$cgroup/$file; done
done
echo 6144 > /sys/fs/cgroup/cpu/${runCgroup}/cpu.shares
"$@"
exit $?`

/** Arguments of `unshare` that run a program on a new machine. A shell is its parent. */
export const onMachine = (machine: Machine, program: string, args: readonly string[]): string[] => [
  ...['--mount', '--net', 'sh', '-c', furnish(machine), 'sh'],
  ...[program, ...args],
]

/** Runs the program there and returns its exit code. The shell is the first process, and collects processes whose parents are gone. */
export const runApart = async (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const started = startLifelined({
    program: 'unshare',
    args: ['--pid', '--fork', '--kill-child', '--mount-proc', ...onMachine(firstMachine, program, args)],
    // Process ids are different there.
    env: { ...env, [scratchOwnerVariable]: String(scratchOwner) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void started.end('SIGKILL'))
  started.child.ref()
  const code = await started.ended
  removeCgroups()
  if (typeof code !== 'number') throw new Error(`the namespaces were ended by ${code}`)
  return code
}

/** Innermost first. A cgroup whose processes are just ending is left to the next run. */
const removeCgroups = (): void => {
  const folders = globSync(`/sys/fs/cgroup/*/${runCgroup}/{**/,}`)
  for (const folder of folders.toSorted((one, other) => other.length - one.length)) {
    try {
      rmdirSync(folder)
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    }
  }
}
