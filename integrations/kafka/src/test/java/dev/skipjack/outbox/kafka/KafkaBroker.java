package dev.skipjack.outbox.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/** A broker and its controller inside this JVM, with storage in a temporary folder. */
final class KafkaBroker implements AutoCloseable {

  private static final int START_ATTEMPTS = 5;

  private static @Nullable KafkaBroker shared;

  private final Path folder;
  private final Map<String, String> settings;
  private final int port;
  private @Nullable KafkaRaftServer server;

  private KafkaBroker(Path folder, Map<String, String> settings, int port) {
    this.folder = folder;
    this.settings = settings;
    this.port = port;
  }

  /** Returns a broker that runs until the JVM ends. Each test needs topics of its own. */
  static synchronized KafkaBroker shared() {
    KafkaBroker started = shared;
    if (started == null) {
      started = start();
      shared = started;
      Runtime.getRuntime().addShutdownHook(new Thread(started::close, "stop-kafka"));
    }
    return started;
  }

  /** Starts a broker that creates no topics by itself. */
  static KafkaBroker start() {
    // A broker that fails would otherwise end the JVM.
    Exit.setExitProcedure(KafkaBroker::refuseExit);
    Exit.setHaltProcedure(KafkaBroker::refuseExit);
    for (int attempt = 1; ; attempt++) {
      KafkaBroker broker = create();
      try {
        broker.restart();
        return broker;
      } catch (RuntimeException failure) { // another process may have taken a port
        broker.close();
        if (attempt == START_ATTEMPTS) {
          throw failure;
        }
      }
    }
  }

  private static void refuseExit(int status, @Nullable String message) {
    throw new IllegalStateException(
        "The broker tried to exit with %d: %s".formatted(status, message));
  }

  private static KafkaBroker create() {
    try {
      Path folder = Files.createTempDirectory("kafka");
      int port = freePort();
      int controllerPort = freePort();
      Map<String, String> settings = new HashMap<>();
      settings.put("process.roles", "broker,controller");
      settings.put("node.id", "1");
      settings.put(
          "listeners",
          "BROKER://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(port, controllerPort));
      settings.put("advertised.listeners", "BROKER://127.0.0.1:" + port);
      settings.put("listener.security.protocol.map", "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT");
      settings.put("inter.broker.listener.name", "BROKER");
      settings.put("controller.listener.names", "CONTROLLER");
      settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
      settings.put("log.dirs", folder.toString());
      settings.put("auto.create.topics.enable", "false");
      settings.put("offsets.topic.num.partitions", "1");
      settings.put("offsets.topic.replication.factor", "1");
      settings.put("transaction.state.log.num.partitions", "1");
      settings.put("transaction.state.log.replication.factor", "1");
      settings.put("transaction.state.log.min.isr", "1");
      settings.put("group.initial.rebalance.delay.ms", "0");
      settings.put("log.cleaner.dedupe.buffer.size", String.valueOf(4 << 20));
      settings.put("num.network.threads", "1");
      settings.put("num.io.threads", "2");
      new Formatter()
          .setPrintStream(
              new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
          .setNodeId(1)
          .setClusterId(Uuid.randomUuid().toString())
          .setDirectories(List.of(folder.toString()))
          .setMetadataLogDirectory(folder.toString())
          .setControllerListenerName("CONTROLLER")
          .setReleaseVersion(MetadataVersion.latestProduction())
          .run();
      return new KafkaBroker(folder, settings, port);
    } catch (Exception failure) {
      throw new IllegalStateException("The storage of the broker could not be created.", failure);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Starts the broker, also after {@link #stop}. Its ports and its storage stay the same. */
  void restart() {
    KafkaRaftServer started = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
    server = started;
    try {
      started.startup();
    } catch (RuntimeException failure) {
      stop();
      throw failure;
    }
  }

  /** Stops the broker and keeps its storage. */
  void stop() {
    KafkaRaftServer running = server;
    server = null;
    if (running != null) {
      running.shutdown();
      running.awaitShutdown();
    }
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  /** Creates a topic, and waits until its partitions have a leader. */
  void createTopic(String name, int partitions, Map<String, String> config) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(name, Optional.of(partitions), Optional.empty()).configs(config)))
          .all()
          .get();
      Fixture.await()
          .ignoreExceptions()
          .until(
              () ->
                  admin.describeTopics(List.of(name)).allTopicNames().get().values().stream()
                      .flatMap(topic -> topic.partitions().stream())
                      .allMatch(partition -> partition.leader() != null));
    } catch (ExecutionException | InterruptedException failure) {
      throw new IllegalStateException("Topic %s was not created.".formatted(name), failure);
    }
  }

  /** Returns properties of a producer that waits for this broker for up to ten minutes. */
  Map<String, Object> patientProducer() {
    return Map.of(
        "bootstrap.servers", address(), "max.block.ms", 600_000, "delivery.timeout.ms", 600_000);
  }

  /** Returns the records that a topic has now, partition by partition. */
  List<ConsumerRecord<byte[], byte[]>> records(String topic) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", address()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
    }
    records.sort(
        Comparator.comparing(ConsumerRecord<byte[], byte[]>::partition)
            .thenComparing(ConsumerRecord::offset));
    return records;
  }

  @Override
  public void close() {
    stop();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
