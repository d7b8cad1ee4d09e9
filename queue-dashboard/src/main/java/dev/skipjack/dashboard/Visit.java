package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.QueueAdmin;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose sender is known and may use the route, with the objects that respond to it.
 *
 * @param request the request
 * @param access the user who sends the request
 * @param session the browser
 * @param parts the variable parts of the path, by name
 * @param now the time from which ages are computed
 * @param services what all requests share
 */
record Visit(
    Request request,
    Access access,
    Session session,
    Map<String, String> parts,
    Instant now,
    Services services) {

  /** The beginning of the addresses for programs. */
  static final String API = "/api/";

  VisibleReads reads() {
    return new VisibleReads(services.reads(), access, services.settings().payloads());
  }

  /** Returns the administration, which records who makes a change, and the reason of the form. */
  QueueAdmin admin() {
    return services.admin().as(access.user(), reason());
  }

  /** Returns the reason of the form; null if none was given. */
  @Nullable String reason() {
    return request
        .field(Form.REASON)
        .map(String::strip)
        .filter(text -> !text.isEmpty())
        .orElse(null);
  }

  /** Records a change that was made in another way than with {@link #admin}. */
  void record(String action, @Nullable String queue, String target) {
    services.operations().record(access.user(), reason(), action, queue, target);
  }

  boolean may(Role role) {
    return access.may(role);
  }

  /** Whether the response is JSON. */
  boolean isForPrograms() {
    return request.path().startsWith(API);
  }

  /** Returns an address relative to that of the request. */
  Link link(String path) {
    return Link.of(depth(request.path()), path);
  }

  /** Returns the number of steps from a page to the path at which the dashboard is mounted. */
  static int depth(String path) {
    return Math.max(0, (int) path.chars().filter(c -> c == '/').count() - 1);
  }

  /** Returns the number in the path. */
  long number() {
    try {
      return Long.parseLong(parts.getOrDefault("id", ""));
    } catch (NumberFormatException tooLong) {
      throw Refusal.notFound("There is nothing with this number.");
    }
  }

  JobId job() {
    return new JobId(number());
  }

  /** Returns a form that changes something, with the token that the change requires. */
  Form form(String path) {
    return new Form(this, path);
  }

  String token(String path, String target) {
    return session.token(services.signer(), access.user(), path, target);
  }

  Times times() {
    return new Times(now);
  }
}
