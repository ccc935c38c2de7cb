// Namespaces of their own for a node: network, mounts and processes. Nothing but what is in them can be reached from there, and when their
// first process ends, all others and all mounts are gone. Only cgroups are left, which are removed afterwards.
import { globSync, rmdirSync } from 'node:fs'
import { startLifelined } from '../processes/bound-processes.ts'

export const nodeAddress = '10.231.0.2'
const cgroupVariable = 'ESPALIER_NODE_CGROUP'
/** Below each controller; of this run alone, since whoever ends first removes its own. */
export const nodeCgroup = process.env[cgroupVariable] ?? `espalier-node-${process.pid}`

/**
 * The default route leads nowhere; but without one the machine refuses addresses of Services before nftables turns them into those of Pods.
 * kubelet sets kernel parameters that are the machine's: it finds files in their place. cpuset needs its processors named. All Pods
 * together get the weight of six processes; by default it is that of one.
 */
const furnish = `set -e
mount --make-rprivate / && mount --make-rshared /
ip link set lo up
ip link add node0 type veth peer name nowhere
ip addr add ${nodeAddress}/24 dev node0
ip link set node0 up && ip link set nowhere up
ip route add default via 10.231.0.1
echo 1 > /proc/sys/net/ipv4/ip_forward
for folder in /run /var/lib/cni /var/log/pods /var/log/containers; do mkdir -p $folder; mount -t tmpfs tmpfs $folder; done
mkdir -p /run/sysctl /run/lock
for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  file=/run/sysctl/$(basename $name); cat /proc/sys/$name > $file; mount --bind $file /proc/sys/$name
done
for controller in cpu cpuacct cpuset memory devices freezer blkio pids systemd; do mkdir -p /sys/fs/cgroup/$controller/${nodeCgroup}; done
for file in cpuset.cpus cpuset.mems; do cat /sys/fs/cgroup/cpuset/$file > /sys/fs/cgroup/cpuset/${nodeCgroup}/$file; done
echo 6144 > /sys/fs/cgroup/cpu/${nodeCgroup}/cpu.shares
"$@"
exit $?`

/** Runs the program there and gives its exit code. The shell is the first process: it takes leave of those whose parents are gone. */
export const runApart = async (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const apart = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
  const started = startLifelined({
    program: 'unshare',
    args: [...apart, 'sh', '-c', furnish, 'sh', program, ...args],
    env: { ...env, [cgroupVariable]: nodeCgroup },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void started.end('SIGKILL'))
  started.child.ref()
  const code = await started.ended
  removeCgroups()
  return typeof code === 'number' ? code : 1
}

/** Innermost first; a cgroup whose processes end at this moment is left to the next run. */
const removeCgroups = (): void => {
  const folders = globSync(`/sys/fs/cgroup/*/${nodeCgroup}/{**/,}`)
  for (const folder of folders.toSorted((one, other) => other.length - one.length)) {
    try {
      rmdirSync(folder)
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    }
  }
}
