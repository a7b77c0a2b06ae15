"""Drafts that people finish, and that curators may."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from curation.grants import grant, revoke

CURATORS = ("curation.view_draft", "curation.change_draft")


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    grant(apps, schema_editor.connection.alias, "curators", CURATORS)


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    revoke(apps, schema_editor.connection.alias, "curators", CURATORS)


class Migration(migrations.Migration):

    dependencies = [
        ('curation', '0014_bulk_finished'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(help_text='Where what launches it stands.', max_length=1000)),
                ('operation', models.CharField(max_length=200)),
                ('state', models.CharField(choices=[('open', 'Open'), ('finished', 'Became a pair'), ('set-aside', 'Set aside')], default='open', editable=False, max_length=10)),
                ('reason', models.CharField(help_text='The word by which drafts are counted.', max_length=40)),
                ('missing', models.JSONField(blank=True, default=list, help_text='In sentences.')),
                ('python_code', models.TextField(blank=True)),
                ('triton_code', models.TextField(blank=True)),
                ('test_code', models.TextField(blank=True)),
                ('entry_point', models.CharField(max_length=200)),
                ('slug', models.SlugField(max_length=120)),
                ('operation_type', models.CharField(choices=[('element-wise', 'Element Wise'), ('reduction', 'Reduction'), ('normalization', 'Normalization'), ('softmax', 'Softmax'), ('matmul', 'Matmul'), ('attention', 'Attention'), ('convolution', 'Convolution'), ('scan', 'Scan'), ('sort', 'Sort'), ('gather-scatter', 'Gather Scatter'), ('quantization', 'Quantization'), ('loss', 'Loss'), ('optimizer', 'Optimizer'), ('random', 'Random'), ('other', 'Other')], max_length=20)),
                ('difficulty', models.CharField(choices=[('easy', 'Easy'), ('medium', 'Medium'), ('hard', 'Hard')], max_length=10)),
                ('differentiable', models.BooleanField(default=False)),
                ('tags', models.JSONField(blank=True, default=list)),
                ('split_group', models.CharField(max_length=200)),
                ('provenance', models.JSONField(blank=True, default=dict)),
                ('version', models.PositiveIntegerField(default=1, editable=False, help_text='Grows with each change.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('changed_at', models.DateTimeField(auto_now_add=True)),
                ('edited_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('kernel', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='curation.kernel')),
                ('pair', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='curation.pair')),
                ('repository', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='curation.repository')),
            ],
            options={
                'ordering': ('repository', 'pk'),
                'indexes': [models.Index(fields=['state', 'repository', 'id'], name='draft_by_state')],
                'constraints': [models.UniqueConstraint(fields=('repository', 'path', 'operation'), name='draft_one_per_operation'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'finished', 'set-aside'])), name='draft_state_valid'), models.CheckConstraint(condition=models.Q(('operation_type__in', ['element-wise', 'reduction', 'normalization', 'softmax', 'matmul', 'attention', 'convolution', 'scan', 'sort', 'gather-scatter', 'quantization', 'loss', 'optimizer', 'random', 'other'])), name='draft_operation_type_valid'), models.CheckConstraint(condition=models.Q(('difficulty__in', ['easy', 'medium', 'hard'])), name='draft_difficulty_valid'), models.CheckConstraint(condition=models.Q(models.Q(('pair__isnull', False), ('state', 'finished')), models.Q(models.Q(('state', 'finished'), _negated=True), ('pair', None)), _connector='OR'), name='draft_finished_iff_pair')],
            },
        ),
        migrations.RunPython(forwards, backwards),
    ]
