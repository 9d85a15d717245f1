# A private Slurm for a test: all daemons on this machine and without systemd, all files under one directory, on ports
# that were free. Sourced, with tests/support/batch.sh; needs root, since slurmd does. Each node pretends to have
# kNodeCpus CPUs, and binds none of them.
# shellcheck shell=bash

readonly kNodeCpus=8

# cluster_is_possible: says what is missing, if anything is.
cluster_is_possible() {
  local program
  if [[ $(id -u) != 0 ]]; then
    echo "needs root: slurmd starts jobs as other users" >&2
    return 1
  fi
  for program in munged slurmctld slurmd sbatch srun scontrol; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null && continue
    echo "needs $program (packages slurm-wlm and munge): cmake/dependencies.sh tests" >&2
    return 1
  done
}

free_ports() {
  python3 - "$1" <<'END'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))
END
}

write_configuration() {
  local directory=$1 nodes=$2 host ports
  host=$(hostname -s)
  read -r -a ports < <(free_ports $((nodes + 1)))
  cat >"$directory/slurm.conf" <<END
ClusterName=loadline
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A job that is requeued starts again when its old credential has expired.
AuthInfo=socket=$directory/munge.sock,cred_expire=6
SlurmctldPort=${ports[0]}
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool-%n
# Where a node's PMIx has its folders, which have the same names on all nodes.
TmpFS=$directory/tmp-%n
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/slurmd-%n.pid
SlurmctldLogFile=$directory/slurmctld.log
SlurmdLogFile=$directory/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
# A job that waits for another is to start soon after it.
SchedulerParameters=sched_interval=1,bf_interval=1
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=10
MinJobAge=3600
END
  local node
  for ((node = 1; node <= nodes; ++node)); do
    echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[node]} CPUs=$kNodeCpus RealMemory=16384"
  done >>"$directory/slurm.conf"
  echo 'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP' >>"$directory/slurm.conf"
}

nodes_are_idle() {
  [[ $(sinfo --noheader --Node --format=%T | grep -cx idle) == "$1" ]] 2>/dev/null
}

# start_cluster DIRECTORY NODES: nodes n1, n2 and so on. Exports SLURM_CONF, by which every command of Slurm finds it.
start_cluster() {
  local directory=$1 nodes=$2 node
  mkdir -p "$directory/state"
  chmod 755 "$directory"
  head -c 128 /dev/urandom >"$directory/munge.key"
  chmod 400 "$directory/munge.key"
  PATH=$PATH:/usr/sbin munged --force --key-file="$directory/munge.key" --socket="$directory/munge.sock" \
    --pid-file="$directory/munged.pid" --log-file="$directory/munged.log" --seed-file="$directory/munged.seed"
  write_configuration "$directory" "$nodes"
  export SLURM_CONF=$directory/slurm.conf
  PATH=$PATH:/usr/sbin slurmctld -c
  for ((node = 1; node <= nodes; ++node)); do
    mkdir -p "$directory/spool-n$node" "$directory/tmp-n$node"
    PATH=$PATH:/usr/sbin slurmd -c -N "n$node"
  done
  wait_until 120 nodes_are_idle "$nodes" && return
  tail -n 20 "$directory"/*.log >&2
  return 1
}

# The first process of a container may never reap zombies.
daemon_has_ended() {
  local state
  read -r _ _ state _ 2>/dev/null <"/proc/$1/stat" || return 0
  [[ $state == Z ]]
}

# stop_cluster DIRECTORY: ends its jobs and its daemons. Nothing is left but the files.
stop_cluster() {
  local directory=$1 file pid
  [[ -e $directory/slurm.conf ]] || return 0
  timeout 10 scancel --user=root --quiet 2>/dev/null || true
  wait_until 15 no_job_runs || true
  # Read first: a daemon removes its file before it has ended.
  local pids=()
  for file in "$directory"/*.pid; do
    [[ ! -s $file ]] || pids+=("$(<"$file")")
  done
  kill "${pids[@]}" 2>/dev/null || true
  for pid in "${pids[@]}"; do
    wait_until 10 daemon_has_ended "$pid" || kill -KILL "$pid" 2>/dev/null || true
  done
}

no_job_runs() { [[ -z $(timeout 5 squeue --noheader 2>/dev/null) ]]; }
