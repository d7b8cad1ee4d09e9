package dev.skipjack.dashboard;

import dev.skipjack.outbox.Outbox;
import dev.skipjack.store.jooq.JobQueue;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Web pages for operators of a queue, as a function from a request to a response.
 *
 * <pre>{@code
 * Dashboard dashboard = Dashboard.on(queue)
 *     .access(request -> Optional.of(Access.of(user(request), Role.OPERATOR).queues("emails")))
 *     .redact(PayloadView.standard().and(PayloadView.masking("iban")))
 *     .environment("production", EnvironmentColour.RED)
 *     .build();
 * DashboardServer server = dashboard.serve(8080);
 * }</pre>
 *
 * <p>Without an access rule and a token, every visitor is a viewer without payloads, and {@link
 * DashboardServer} accepts connections of this machine only.
 *
 * <p>The dashboard borrows at most two connections at a time from the queue's pool for reading, and
 * cancels a query after 2 seconds. Safe for any number of threads. Close it when the application
 * ends.
 */
public final class Dashboard implements AutoCloseable {

  static final int QUERY_SECONDS = 2;

  private static final Duration PATIENCE = Duration.ofMillis(2_500);
  private static final int KEY_BYTES = 32;

  private final Gate gate;
  private final Settings settings;
  private final SharedQueries queries;
  private final OperationRunner runner;

  private Dashboard(Builder builder) {
    Signer signer = new Signer(builder.key());
    Login login =
        builder.token == null
            ? null
            : new Login(builder.token, builder.tokenAccess, signer, builder.clock);
    AccessRule rule = builder.rule;
    AccessRule access =
        login == null
            ? rule == null ? request -> Optional.of(builder.tokenAccess) : rule
            : login::of;
    this.settings =
        new Settings(
            access,
            rule != null || login != null,
            login,
            builder.hosts,
            builder.payloads,
            builder.environment,
            builder.colour);
    JobQueue queue = builder.queue;
    JobQueue timed =
        JobQueue.builder(new TimedDataSource(queue.dataSource(), QUERY_SECONDS))
            .schema(queue.schema())
            .codec(new RawJson())
            .wakeUps(false)
            .build();
    JobQueue changing =
        JobQueue.builder(queue.dataSource()).schema(queue.schema()).codec(new RawJson()).build();
    this.queries = new SharedQueries(builder.clock, PATIENCE);
    this.runner = new OperationRunner(changing.operations());
    this.gate =
        new Gate(
            new Services(
                settings,
                new Reads(queries, timed),
                signer,
                changing,
                changing.admin(),
                changing.operations(),
                changing.schedules(),
                Outbox.on(changing).admin(),
                runner,
                builder.clock),
            Routes.all());
  }

  /**
   * {@return a builder for a dashboard of the given queue}
   *
   * @param queue the queue
   */
  public static Builder on(JobQueue queue) {
    return new Builder(queue);
  }

  /**
   * Responds to a request. Never throws an exception: a failure is a response too.
   *
   * @param request the request
   * @return the response
   */
  public Response handle(Request request) {
    return gate.respond(request);
  }

  /**
   * Serves the dashboard with the JDK's HTTP server, for connections of this machine.
   *
   * @param port the port; 0 for any free one
   * @return the running server
   */
  public DashboardServer serve(int port) {
    return DashboardServer.start(
        this, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** Whether an access rule or a token decides who may use the dashboard. */
  boolean isGuarded() {
    return settings.isGuarded();
  }

  /**
   * Returns the host names that {@link DashboardServer} accepts; null for any. A login by token
   * needs no list of names, because a browser sends its cookie only to the name that has set it.
   */
  @Nullable HostNames hosts() {
    return settings.hosts() == null && settings.login() == null
        ? HostNames.LOCAL
        : settings.hosts();
  }

  /** Stops reading. An operation that is running stops after its batch; a worker continues it. */
  @Override
  public void close() {
    runner.close();
    queries.close();
  }

  /** Builds a {@link Dashboard}. Not thread-safe. */
  public static final class Builder {

    private static final String LOCAL_USER = "viewer";

    private final JobQueue queue;
    private @Nullable AccessRule rule;
    private @Nullable String token;
    private Access tokenAccess = Access.of(LOCAL_USER, Role.VIEWER);
    private @Nullable HostNames hosts;
    private PayloadView payloads = PayloadView.standard();
    private @Nullable String environment;
    private EnvironmentColour colour = EnvironmentColour.GREY;
    private byte @Nullable [] key;
    private Clock clock = Clock.systemUTC();

    private Builder(JobQueue queue) {
      this.queue = queue;
    }

    /**
     * Sets who may use the dashboard, for example according to the login of the application.
     *
     * @param access the rule
     * @return this builder
     */
    public Builder access(AccessRule access) {
      this.rule = access;
      return this;
    }

    /**
     * Requires a token. Browsers enter it once in 12 hours, or open {@code /login?token=...};
     * programs send {@code Authorization: Bearer ...}. All who have the token have the same access.
     *
     * @param secret the token, at least 16 characters
     * @param access what its holders may see and do
     * @return this builder
     * @throws IllegalArgumentException if the token is too short
     */
    public Builder token(String secret, Access access) {
      if (secret.length() < Login.SHORTEST) {
        throw new IllegalArgumentException(
            "The token has %d characters; use at least %d."
                .formatted(secret.length(), Login.SHORTEST));
      }
      this.token = secret;
      this.tokenAccess = access;
      return this;
    }

    /**
     * Sets the names by which browsers may request the dashboard, besides {@code localhost} and IP
     * addresses. Other names are refused, because a page of another site could use one that
     * resolves to the address of the dashboard. Default: with an access rule, {@link
     * DashboardServer} refuses every name; a servlet container and a login by token accept any.
     *
     * @param names the names without a port, for example {@code ops.example.com}
     * @return this builder
     */
    public Builder hosts(String... names) {
      this.hosts = new HostNames(Set.of(names));
      return this;
    }

    /**
     * Sets which fields of payloads, results and error messages are masked for users who may see
     * payloads. Default: {@link PayloadView#standard()}, which this replaces.
     *
     * @param view the masked fields
     * @return this builder
     */
    public Builder redact(PayloadView view) {
      this.payloads = view;
      return this;
    }

    /**
     * Sets the name that every page shows, so that production is not mistaken for a test. Default:
     * none.
     *
     * @param name the name
     * @param nameColour its colour
     * @return this builder
     */
    public Builder environment(String name, EnvironmentColour nameColour) {
      this.environment = name;
      this.colour = nameColour;
      return this;
    }

    /**
     * Sets the key that signs forms and logins. Set the same one in all processes behind a load
     * balancer. Default: a random key, so that open pages must be reloaded after a restart before
     * their forms work.
     *
     * @param secret the key, at least 32 bytes
     * @return this builder
     * @throws IllegalArgumentException if the key is too short
     */
    public Builder signingKey(byte[] secret) {
      if (secret.length < KEY_BYTES) {
        throw new IllegalArgumentException(
            "The signing key has %d bytes; use at least %d.".formatted(secret.length, KEY_BYTES));
      }
      this.key = secret.clone();
      return this;
    }

    /** Sets the clock from which ages are computed, for tests. */
    Builder clock(Clock fixed) {
      this.clock = fixed;
      return this;
    }

    private byte[] key() {
      if (key != null) {
        return key;
      }
      byte[] random = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(random);
      return random;
    }

    /**
     * {@return the dashboard} Opens no connection.
     *
     * @throws IllegalStateException if both an access rule and a token were set
     */
    public Dashboard build() {
      if (rule != null && token != null) {
        throw new IllegalStateException(
            "An access rule and a token were set. Use one of them: the rule may check a token.");
      }
      return new Dashboard(this);
    }
  }
}
