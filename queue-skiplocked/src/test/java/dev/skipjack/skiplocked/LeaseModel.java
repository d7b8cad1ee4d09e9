package dev.skipjack.skiplocked;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The expected content of the database: the committed seats, and the state of the seats that each
 * open transaction has locked.
 */
final class LeaseModel {

  /**
   * A seat.
   *
   * @param token the token of its lease; null if it has none
   */
  record State(@Nullable UUID token, boolean expired, boolean sold) {

    static final State FREE = new State(null, false, false);

    boolean isFree() {
      return !sold && (token == null || expired);
    }
  }

  final Map<Integer, State> committed = new TreeMap<>();
  private final List<Map<Integer, State>> transactions = new ArrayList<>();

  LeaseModel(int seats, int sessions) {
    for (int seat = 1; seat <= seats; seat++) {
      committed.put(seat, State.FREE);
    }
    for (int session = 0; session < sessions; session++) {
      transactions.add(new HashMap<>());
    }
  }

  /** Returns the first seats that are free for a claim of this session. */
  List<Integer> free(int session, int limit) {
    return committed.keySet().stream()
        .filter(seat -> !isLockedByAnother(session, seat))
        .filter(seat -> see(session, seat).isFree())
        .limit(limit)
        .toList();
  }

  /** Returns those of {@code seats} whose lease has this token. */
  List<Integer> held(int session, List<Integer> seats, UUID token) {
    return seats.stream().filter(seat -> token.equals(see(session, seat).token())).toList();
  }

  boolean isLockedByAnother(int session, int seat) {
    for (int other = 0; other < transactions.size(); other++) {
      if (other != session && transactions.get(other).containsKey(seat)) {
        return true;
      }
    }
    return false;
  }

  void write(int session, List<Integer> seats, State state) {
    seats.forEach(seat -> transactions.get(session).put(seat, state));
  }

  void lock(int session, List<Integer> seats) {
    seats.forEach(seat -> transactions.get(session).put(seat, see(session, seat)));
  }

  void expire(int seat) {
    committed.computeIfPresent(
        seat,
        (number, state) ->
            state.token() == null ? state : new State(state.token(), true, state.sold()));
  }

  boolean hasWritten(int session) {
    return !transactions.get(session).isEmpty();
  }

  void commit(int session) {
    committed.putAll(transactions.get(session));
    rollback(session);
  }

  void rollback(int session) {
    transactions.get(session).clear();
  }

  private State see(int session, int seat) {
    State own = transactions.get(session).get(seat);
    return own == null ? committed.getOrDefault(seat, State.FREE) : own;
  }
}
