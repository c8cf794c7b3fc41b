package dev.cassidy.service;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.cassandra.core.CassandraTemplate;
import org.springframework.data.cassandra.core.query.Criteria;
import org.springframework.data.cassandra.core.query.Query;
import org.springframework.stereotype.Component;

@Component
class CassandraWays {

    private final CassandraTemplate template;
    private final Purchases purchases;
    private final Customers customers;
    private final Accounts accounts;
    private final Lines lines;

    CassandraWays(
            CassandraTemplate template, Purchases purchases, Customers customers, Accounts accounts, Lines lines) {
        this.template = template;
        this.purchases = purchases;
        this.customers = customers;
        this.accounts = accounts;
        this.lines = lines;
    }

    /** A record with an Integer id. */
    Map<String, ?> template() {
        Customer inserted = template.insert(new Customer(null, "Ann"));
        int id = Objects.requireNonNull(inserted.id());
        Customer loaded = Objects.requireNonNull(template.selectOneById(id, Customer.class));
        template.update(new Customer(id, "Bea"));
        Customer changed = Objects.requireNonNull(template.selectOneById(id, Customer.class));
        boolean deleted = template.deleteById(id, Customer.class);
        return Map.of(
                "id", id,
                "inserted", loaded.name(),
                "changed", changed.name(),
                "deleted", deleted,
                "left", template.count(Query.query(Criteria.where("id").is(id)), Customer.class));
    }

    /** A class with a Long id, and a record. */
    Map<String, ?> repository() {
        Purchase purchase = new Purchase();
        purchase.setItem("Kettle");
        Purchase saved = purchases.save(purchase);
        long id = Objects.requireNonNull(saved.getId());
        Purchase loaded = purchases.findById(id).orElseThrow();
        String inserted = loaded.getItem();
        loaded.setItem("Teapot");
        purchases.save(loaded);
        String changed = purchases.findById(id).orElseThrow().getItem();
        List<Integer> all = customers.saveAll(List.of(new Customer(null, "Cid"), new Customer(null, "Dan"))).stream()
                .map(Customer::id)
                .toList();
        int first = Objects.requireNonNull(all.get(0));
        customers.save(new Customer(first, "Cyd"));
        String renamed = customers.findById(first).orElseThrow().name();
        purchases.deleteById(id);
        return Map.of(
                "id", id,
                "sameObject", saved == purchase,
                "inserted", inserted,
                "changed", changed,
                "all", all,
                "renamed", renamed,
                "left", purchases.findById(id).isPresent() ? 1 : 0);
    }

    Map<String, ?> version() {
        Account saved = accounts.save(new Account(null, "Ann", null));
        int id = Objects.requireNonNull(saved.id());
        Account loaded = accounts.findById(id).orElseThrow();
        Account changed = accounts.save(new Account(id, "Bea", loaded.version()));
        String stale;
        try {
            accounts.save(new Account(id, "Cid", loaded.version()));
            stale = "written";
        } catch (OptimisticLockingFailureException e) {
            stale = "refused";
        }
        String owner = accounts.findById(id).orElseThrow().owner();
        accounts.deleteById(id);
        return Map.of(
                "id",
                id,
                "inserted",
                loaded.owner(),
                "versions",
                List.of(loaded.version(), changed.version()),
                "changed",
                owner,
                "stale",
                stale,
                "left",
                accounts.existsById(id) ? 1 : 0);
    }

    Map<String, ?> clustering() {
        Line saved = lines.save(new Line(new LineKey(7, null), "Kettle"));
        int id = Objects.requireNonNull(saved.key().id());
        String inserted = lines.findById(new LineKey(7, id)).orElseThrow().item();
        lines.save(new Line(saved.key(), "Teapot"));
        String changed = lines.findById(saved.key()).orElseThrow().item();
        lines.delete(saved);
        return Map.of(
                "id", id, "inserted", inserted, "changed", changed, "left", lines.existsById(saved.key()) ? 1 : 0);
    }

    /** Spring Data calls no callback for a batch: the rows get ids, the entities do not. */
    Map<String, ?> batch() {
        Customer eve = new Customer(null, "Eve");
        template.batchOps().insert(eve).execute();
        return Map.of("known", eve.id() != null);
    }
}
