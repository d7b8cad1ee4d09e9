package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import java.util.List;
import java.util.Optional;

/** Changes of queues and of ordering keys. */
final class QueueChanges {

  private QueueChanges() {}

  private static String queue(Visit visit) {
    return QueueScreen.required(Session.target(visit.request()), visit);
  }

  static Link pause(Visit visit) {
    String queue = queue(visit);
    QueueScreen.Pause length =
        List.of(QueueScreen.Pause.values()).stream()
            .filter(one -> Optional.of(one.name()).equals(visit.request().field("for")))
            .findFirst()
            .orElseThrow(() -> Refusal.badInput("There is no such length of a pause."));
    QueuePause pause =
        length.duration() == null ? QueuePause.untilResumed() : QueuePause.of(length.duration());
    String reason = visit.request().field(Form.REASON).orElse("").strip();
    QueuePause named = pause.by(visit.access().user());
    visit.admin().pause(queue, reason.isEmpty() ? named : named.because(reason));
    return page(queue, Note.QUEUE_PAUSED, visit);
  }

  static Link resume(Visit visit) {
    String queue = queue(visit);
    visit.admin().resume(queue);
    return page(queue, Note.QUEUE_RESUMED, visit);
  }

  static Link configure(Visit visit) {
    String queue = queue(visit);
    visit.admin().configure(queue, withLimit(SettingsForm.read(visit.request()), queue, visit));
    return page(queue, Note.QUEUE_CONFIGURED, visit);
  }

  /** Keeps the settings that the form does not have. */
  private static QueueSettings withLimit(QueueSettings wanted, String queue, Visit visit) {
    QueueSettings stored =
        visit.services().admin().settings(queue).orElseGet(QueueSettings::defaults);
    QueueSettings limited = stored.limit().map(wanted::limitedBy).orElse(wanted);
    return stored.isFair() ? limited.fair() : limited;
  }

  private static Link page(String queue, Note note, Visit visit) {
    return visit.link("/queue").with("name", queue).with("note", note.code());
  }

  /** Skips the dead job that the form names, if it still blocks its key. */
  static Link unblock(Visit visit) {
    String target = Session.target(visit.request());
    List<BlockedKey> keys = visit.reads().blockedKeys().panel().or(List.of());
    boolean unblocked =
        keys.stream()
            .filter(key -> key.head().toString().equals(target))
            .findFirst()
            .map(key -> unblock(key.orderingKey(), key.head(), visit))
            .orElse(false);
    return visit
        .link(HeldScreen.PATH)
        .with("note", (unblocked ? Note.UNBLOCKED : Note.NOT_BLOCKED).code());
  }

  private static boolean unblock(String key, JobId head, Visit visit) {
    return visit.admin().unblock(key, head);
  }
}
