"""What places items among their twins and holds them against benchmarks."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from curation.grants import grant, revoke

SEEN = ("curation.view_copyflag",)


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    grant(apps, schema_editor.connection.alias, "curators", SEEN)


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    revoke(apps, schema_editor.connection.alias, "curators", SEEN)


class Migration(migrations.Migration):

    dependencies = [
        ('curation', '0007_notices_and_opt_outs'),
    ]

    operations = [
        migrations.CreateModel(
            name='CopyFlag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('likeness', models.CharField(choices=[('exact', 'Exact, names set aside'), ('near', 'Near')], max_length=10)),
                ('similarity', models.FloatField(help_text='Jaccard similarity, 0 to 1.')),
                ('blocked', models.ForeignKey(help_text='The same or nearly the same, under a licence that forbids giving it away.', on_delete=django.db.models.deletion.CASCADE, related_name='copies', to='curation.kernel')),
                ('kernel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='copy_flags', to='curation.kernel')),
            ],
            options={
                'ordering': ('-similarity', 'pk'),
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('likeness__in', ['exact', 'near'])), name='copyflag_likeness_valid'),
                    models.CheckConstraint(condition=models.Q(models.Q(('similarity__gte', 0), ('similarity__lte', 1)), ('similarity__isnull', True), _connector='OR'), name='copyflag_similarity_fraction'),
                    models.CheckConstraint(condition=models.Q(('kernel', models.F('blocked')), _negated=True), name='copyflag_not_of_itself'),
                    models.UniqueConstraint(fields=('kernel', 'blocked'), name='copyflag_once'),
                ],
            },
        ),
        migrations.RemoveIndex(
            model_name='band',
            name='band_by_value',
        ),
        migrations.AddField(
            model_name='contaminationmatch',
            name='constants_differ',
            field=models.BooleanField(default=False, help_text='The same syntax but for its numbers and strings.'),
        ),
        migrations.AddField(
            model_name='fingerprint',
            name='compared_with',
            field=models.CharField(blank=True, help_text='Names the benchmarks that it was held against. Empty: never yet.', max_length=64),
        ),
        migrations.AddField(
            model_name='fingerprint',
            name='documented',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='fingerprint',
            name='license_stated',
            field=models.BooleanField(default=False, help_text="Whether the item's own text says it, not only its repository."),
        ),
        migrations.AddField(
            model_name='fingerprint',
            name='license_verdict',
            field=models.CharField(choices=[('permissive', 'Permissive'), ('blocked', 'Blocked'), ('unknown', 'Unknown'), ('conflict', 'Conflict')], default='unknown', max_length=20),
        ),
        migrations.AddField(
            model_name='fingerprint',
            name='placed',
            field=models.BooleanField(help_text='Whether it represents others or is represented. Unknown: not looked at yet.', null=True),
        ),
        migrations.AddField(
            model_name='fingerprint',
            name='stars',
            field=models.PositiveIntegerField(default=0, help_text='Of the best place where it stands.'),
        ),
        migrations.AddField(
            model_name='fingerprint',
            name='status',
            field=models.CharField(choices=[('pending', 'Pending'), ('approved', 'Approved'), ('rejected', 'Rejected'), ('retired', 'Retired')], default='pending', max_length=10),
        ),
        migrations.AlterField(
            model_name='band',
            name='fingerprint',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='bands', to='curation.fingerprint'),
        ),
        migrations.AddIndex(
            model_name='band',
            index=models.Index(fields=['value', 'fingerprint'], name='band_by_value'),
        ),
        migrations.AddIndex(
            model_name='fingerprint',
            index=models.Index(condition=models.Q(('placed', None)), fields=['id'], name='fingerprint_not_looked_at'),
        ),
        migrations.AddIndex(
            model_name='fingerprint',
            index=models.Index(condition=models.Q(('status', 'retired'), _negated=True), fields=['compared_with'], name='fingerprint_by_benchmarks'),
        ),
        migrations.AddConstraint(
            model_name='fingerprint',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['pending', 'approved', 'rejected', 'retired'])), name='fingerprint_status_valid'),
        ),
        migrations.AddConstraint(
            model_name='fingerprint',
            constraint=models.CheckConstraint(condition=models.Q(('license_verdict__in', ['permissive', 'blocked', 'unknown', 'conflict'])), name='fingerprint_license_verdict_valid'),
        ),
        migrations.RunPython(forwards, backwards),
    ]
