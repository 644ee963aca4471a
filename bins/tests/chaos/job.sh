#!/bin/sh
# The job of the process test: marks its begin and its end in its worker's file, and behaves as
# its first argument says in between.
#
# A mark is one line, written at once: WHAT FENCE RUN NANOSECONDS. The lock is handed to everything
# that the job starts, and is free when the last of them is dead: who cannot get it at its begin
# runs beside an earlier job of the same worker.
behaviour=$1
marks=$CHAOS_DIRECTORY/marks/$HORARIUM_WORKER

mark() {
    echo "$1 $HORARIUM_FENCE $HORARIUM_RUN_ID $(date +%s%N)" >>"$marks"
}

exec 9>>"$marks.lock"
if flock --nonblock 9; then mark begin; else mark overlap; fi

tenths=$((HORARIUM_FENCE * 7 % 10))
case $behaviour in
brief)
    sleep 0.$tenths
    ;;
long) # longer than a lease
    sleep $((HORARIUM_FENCE % 6 + 6))
    ;;
flaky) # two of three fail
    sleep 0.$tenths
    if [ $((HORARIUM_FENCE % 3)) -ne 0 ]; then
        mark end
        exit 3
    fi
    ;;
deaf) # hears no TERM
    trap '' TERM
    sleep $((HORARIUM_FENCE % 3)).$tenths
    ;;
parent) # leaves a process behind, in its group
    sleep 600 &
    sleep 0.$tenths
    ;;
detached) # leaves one behind in another session, an orphan
    (setsid sleep 600 &)
    sleep 0.$tenths
    ;;
overdue) # longer than its timeout
    trap '' TERM
    sleep 30
    ;;
esac
mark end
